// The types that callers of these functions need: the types of arguments, results and errors.
export {
  type Diagnostic,
  type DiagnosticCode,
  DiagnosticsError,
  type EndpointSlice,
  type Endpoints,
  formatDiagnostic,
  type HostFacts,
  type IpFamily,
  type KubeProxyConfiguration,
  type Node,
  type Packet,
  type Protocol,
  type Result,
  type Service,
  type ServiceCIDR,
  type ServiceSpec,
} from '@kube-rules/types'
export { type CleanUpOptions, cleanUp } from './commands/clean-up.js'
export { isProxyMode, listModes, subsystemsOf, versionsOf } from './commands/modes.js'
export { type CommandExecutor, type CommandInvocation, type RunResult, runCommands } from './commands/run-commands.js'
export { type CommandOptions, toCommands } from './commands/to-commands.js'
export { compile, safeCompile } from './compilation/compile.js'
export type {
  CompileInput,
  CompileOptions,
  CompileResult,
  FamilyResult,
  ResultCounts,
} from './compilation/compile-result.js'
export type { AddressState } from './dataplane/addresses/ast.js'
export type { ConntrackEntry } from './dataplane/conntrack/ast.js'
export type { ToolCommand } from './dataplane/netfilter/tool-command.js'
export type { Dump, NodeState, Subsystem } from './dataplane/node-state.js'
export type { IptablesBackend, PriorKnowledge, TextFormat } from './dataplane/tool-options.js'
export {
  applyPatch,
  assembleStates,
  diff,
  type FamilyPatch,
  invertPatch,
  isEmptyPatch,
  type NodeResources,
  type ResultPatch,
  toResources,
} from './diff/diff.js'
export { digestOf } from './diff/digest-of.js'
// The declarations of callers name the types of states by these entries.
export type {} from './entries/ipset.js'
export type {} from './entries/iptables.js'
export type {} from './entries/ipvs.js'
export type {} from './entries/nftables.js'
export type {} from './entries/plan.js'
export { type CompileNodesOptions, compileNodes, type NodeResult } from './many-nodes/compile-nodes.js'
export { type ChangedNode, type ChangedNodesOptions, findChangedNodes } from './many-nodes/find-changed-nodes.js'
export type { ObjectList } from './model/reading/object-list.js'
export type { HealthCheckNodePort } from './model/services/health-checks.js'
export type { Patch } from './patch/patch.js'
export type { Plan, ServicePlan } from './plan/plan.js'
export type { StaleConnection } from './plan/stale-connection.js'
export { type PrintOptions, print } from './print/print.js'
export { formatsOf, isDumpedByFamily, listSubsystems } from './print/subsystems.js'
export { cleanStaleEntries } from './reconcile/clean-stale-entries.js'
export { parseConntrack } from './reconcile/parse-conntrack.js'
export { type ReconcileOptions, reconcile } from './reconcile/reconcile.js'
export type { HostRequirements } from './targets/mode-lowering.js'
export type { ProxyMode } from './targets/modes.js'
export { createTracker } from './tracker/tracker.js'
export type {
  TrackedObject,
  TrackedObjectKind,
  Tracker,
  TrackerOptions,
  TrackerRunOptions,
  TrackerRunResult,
  TrackerUpdate,
  WatchEvent,
} from './tracker/tracker-types.js'
