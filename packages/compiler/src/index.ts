// Types that callers of these functions need: their arguments, results and errors.
export {
  type Cidr,
  type Diagnostic,
  type DiagnosticCode,
  DiagnosticsError,
  type EndpointSlice,
  type Endpoints,
  formatDiagnostic,
  formatReference,
  type HostFacts,
  type IpFamily,
  type KubeProxyConfiguration,
  type NetworkInterface,
  type Node,
  type ObjectReference,
  type Origin,
  type Outcome,
  type Packet,
  type Protocol,
  type Service,
  type ServiceCIDR,
  type Severity,
} from '@kube-rules/types'
export { type CleanUpOptions, cleanUp } from './commands/clean-up.js'
export { type CommandExecutor, type CommandInvocation, type RunResult, runCommands } from './commands/run-commands.js'
export { type CommandOptions, toCommands } from './commands/to-commands.js'
export { compile, safeCompile } from './compilation/compile.js'
export type { CompileInput, CompileOptions, CompileResult, Counts, FamilyResult } from './compilation/compile-result.js'
export type { ConntrackEntry } from './dataplane/conntrack/ast.js'
export type { ConntrackOptions } from './dataplane/conntrack/script.js'
export type { Coverage } from './dataplane/netfilter/coverage.js'
export type { ToolCommand } from './dataplane/netfilter/tool-command.js'
export type { Dump, NodeState, Subsystem } from './dataplane/node-state.js'
export type { IptablesBackend, TextFormat } from './dataplane/tool-options.js'
export { diff, type ResultPatch } from './diff/diff.js'
export { type CompileNodesOptions, compileNodes, type NodeResult } from './many-nodes/compile-nodes.js'
export type { ObjectList } from './model/reading/object-list.js'
export type { HealthCheckNodePort } from './model/services/health-checks.js'
export type { Plan } from './plan/plan.js'
export { type PrintOptions, print } from './print/print.js'
export { cleanStaleEntries } from './reconcile/clean-stale-entries.js'
export { parseConntrack } from './reconcile/parse-conntrack.js'
export { type ReconcileOptions, reconcile } from './reconcile/reconcile.js'
export type { HostRequirements } from './targets/mode-lowering.js'
export type { ProxyMode } from './targets/modes.js'
export {
  createTracker,
  type TrackedKind,
  type TrackedObject,
  type Tracker,
  type TrackerOptions,
  type Update,
  type WatchEvent,
} from './tracker/tracker.js'
