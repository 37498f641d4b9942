export { removalRulesOf } from '../commands/ipvs-versions.js'
export {
  FLAG_HASHED,
  FLAG_ONE_PACKET,
  FLAG_PERSISTENT,
  FLAG_SCHED_1,
  FLAG_SCHED_2,
  FLAG_SCHED_3,
  type IpvsState,
  type RealServer,
  SCHEDULERS,
  VIRTUAL_SERVER_PROTOCOLS,
  type VirtualServer,
} from '../dataplane/ipvs/ast.js'
export { canonicalize } from '../dataplane/ipvs/canonical.js'
export {
  recheckTerminating,
  type TerminationRequest,
  type TerminationResult,
  terminateGracefully,
} from '../dataplane/ipvs/graceful-termination.js'
export { printListing, printRestore, printSave } from '../dataplane/ipvs/print.js'
export { toTerminationCommands } from '../dataplane/ipvs/script-termination.js'
export type { CountConnections, RealServerChange, SyncContext } from '../dataplane/ipvs/sync-real-servers.js'
export type { RemovalRules } from '../targets/ipvs/termination.js'
