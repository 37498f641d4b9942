export { type BackendDump, readBackEnds, readMainBackEnd } from './dump/read-backends.js'
export type { DumpOptions, ReadDump } from './dump/read-dump.js'
