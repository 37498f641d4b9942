export * from './compile.js'
export type * from './dataplane/ipset/ast.js'
export { entryText } from './dataplane/ipset/entries.js'
export * from './dataplane/iptables/ast.js'
export { chainsOf } from './dataplane/iptables/chains.js'
export { printRestore, printRule } from './dataplane/iptables/print.js'
export { type Backend, type PrintSaveOptions, printSave } from './dataplane/iptables/print-save.js'
export type { Style } from './dataplane/iptables/style.js'
export * from './dataplane/ipvs/ast.js'
export type { Features } from './model/features.js'
export { NEWEST_VERSION, SUPPORTED_VERSIONS } from './model/features.js'
export type { HealthCheckNodePort } from './model/health-checks.js'
export type * from './model/model.js'
export { buildPlan } from './plan/build-plan.js'
export { type Candidate, type Decision, type DecisionReason, decide } from './plan/decide.js'
export type {
  AllowedSources,
  Clause,
  Frontend,
  FrontendKind,
  Plan,
  PoolName,
  Pools,
  Reason,
  Route,
  ServicePlan,
  When,
} from './plan/plan.js'
export * from './render.js'
export type { IpvsPart } from './render-ipvs.js'
export { addressCommands } from './targets/ipvs/addresses.js'
export * from './targets/ipvs/graceful-termination.js'
export { type IpvsSet, ipvsSets } from './targets/ipvs/sets.js'
export type * from './targets/ipvs/state.js'
export type { Connections, RealServerChange } from './targets/ipvs/sync-real-servers.js'
export type { CompiledMode, StateOf, States } from './targets/registry.js'
export type { Limitation, StateCounts, Target } from './targets/target.js'
