// The types that callers of these functions need: the types of arguments, results and errors.
export {
  type Diagnostic,
  DiagnosticsError,
  type EndpointSlice,
  type Endpoints,
  formatDiagnostic,
  type IpFamily,
  type KubeProxyConfiguration,
  type Node,
  type Result,
  type Service,
  type ServiceCIDR,
} from '@kube-rules/types'
export { type CleanUpOptions, cleanUp } from './commands/clean-up.js'
export { listModes, subsystemsOf, versionsOf } from './commands/modes.js'
export { type CommandExecutor, type RunResult, runCommands } from './commands/run-commands.js'
export { type CommandOptions, toCommands } from './commands/to-commands.js'
export { compile, safeCompile } from './compilation/compile.js'
export type { CompileInput, CompileOptions, CompileResult, FamilyResult } from './compilation/compile-result.js'
export type { ConntrackEntry } from './dataplane/conntrack/ast.js'
export type { ToolCommand } from './dataplane/netfilter/tool-command.js'
export type { Dump, NodeState, Subsystem } from './dataplane/node-state.js'
export type { IptablesBackend, TextFormat } from './dataplane/tool-options.js'
export {
  applyPatch,
  assembleStates,
  diff,
  invertPatch,
  isEmptyPatch,
  type NodeResources,
  type ResultPatch,
  toResources,
} from './diff/diff.js'
export { type CompileNodesOptions, compileNodes, type NodeResult } from './many-nodes/compile-nodes.js'
export { type PrintOptions, print } from './print/print.js'
export { formatsOf, isDumpedByFamily, listSubsystems } from './print/subsystems.js'
export { cleanStaleEntries } from './reconcile/clean-stale-entries.js'
export { parseConntrack } from './reconcile/parse-conntrack.js'
export { type ReconcileOptions, reconcile } from './reconcile/reconcile.js'
export type { ProxyMode } from './targets/modes.js'
export { createTracker } from './tracker/tracker.js'
export type {
  Tracker,
  TrackerOptions,
  TrackerRunOptions,
  TrackerRunResult,
  TrackerUpdate,
  WatchEvent,
} from './tracker/tracker-types.js'
