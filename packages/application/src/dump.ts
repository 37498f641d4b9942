export { addInterfaces } from './dump/node-interfaces.js'
export { formatNodeSettings } from './dump/node-settings.js'
export { type BackendDump, readBackends, readCurrentBackend } from './dump/read-backends.js'
export type { DumpOptions, ReadDumpResult } from './dump/read-dump.js'
