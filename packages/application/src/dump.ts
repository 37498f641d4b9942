export { type BackEnd, readBackEnds, readMainBackEnd } from './dump/read-back-ends.js'
export type { DumpOptions, ReadDump } from './dump/read-dump.js'
