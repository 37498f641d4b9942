// What whoever calls these functions has to name: the objects they are given, and what they answer and throw.
export {
  type Cidr,
  type Diagnostic,
  type DiagnosticCode,
  DiagnosticsError,
  type EndpointSlice,
  type Endpoints,
  formatDiagnostic,
  formatReference,
  type Host,
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
export { type Applied, applyRuns, type Command, type Execute } from './apply-runs.js'
export { type CleanUpOptions, cleanUp } from './clean-up.js'
export type { Comparison } from './compare/compare.js'
export { type CompareOptions, compare } from './compare.js'
export type { CompileInput, CompileOptions, CompileResult, Counts, FamilyResult } from './compilation/compile-result.js'
export { compile, safeCompile } from './compile.js'
export type { Fragment } from './dataplane/netfilter/fragment.js'
export type { PasteNote, PasteNoteCode, PasteProblemCode } from './dataplane/netfilter/pasted.js'
export type { Run } from './dataplane/netfilter/run.js'
export type { Parsed, TextProblem } from './dataplane/netfilter/text-problem.js'
export type { Dump, NodeState, Subsystem } from './dataplane/node-state.js'
export type { Backend, Spelling } from './dataplane/tool-options.js'
export { diff, type ResultPatch } from './diff.js'
export type { Explanation } from './explain/explain.js'
export type { SurveyRow } from './explain/survey.js'
export { type ExplainOptions, explain, survey } from './explain.js'
export { type CompileNodesOptions, compileNodes, type NodeResult } from './many-nodes/compile-nodes.js'
export {
  type DumpText,
  isEmptyDump,
  type LenientlyParsed,
  type ParseOptions,
  type ParseProblem,
  type ParseProblemCode,
  parse,
} from './parse.js'
export type { Plan } from './plan/plan.js'
export { type PrintStateOptions, print } from './print.js'
export type { ObjectsOf } from './reading/object-list.js'
export { type ReconcileOptions, reconcile } from './reconcile.js'
export { type ScriptPatchOptions, script } from './script.js'
export type { HealthCheckNodePort } from './services/health-checks.js'
export type { HostSettings } from './targets/mode-lowering.js'
export type { CompiledMode } from './targets/modes.js'
export type { Way } from './trace/trace.js'
export { type Surroundings, trace } from './trace.js'
export {
  createTracker,
  type TrackedKind,
  type TrackedObject,
  type Tracker,
  type TrackerOptions,
  type Update,
  type WatchEvent,
} from './tracker.js'
export type { VerifyReport } from './verify/report.js'
export { type VerifyOptions, verify } from './verify.js'
