export * from './compile.js'
export type { Features } from './configuration/features.js'
export { NEWEST_VERSION, SUPPORTED_VERSIONS } from './configuration/features.js'
export type { IpvsSettings, ProxyMode, Settings } from './configuration/settings.js'
export type * from './dataplane/conntrack/ast.js'
export { deletionArguments, filterText } from './dataplane/conntrack/print.js'
export type * from './dataplane/ipset/ast.js'
export { entryText } from './dataplane/ipset/entries.js'
export type { IpsetParseErrorCode } from './dataplane/ipset/parse.js'
export { type RuleCommand, ruleArguments } from './dataplane/iptables/arguments.js'
export * from './dataplane/iptables/ast.js'
export {
  type CanonicalState,
  type CanonicalTable,
  canonicalState,
  sameState,
} from './dataplane/iptables/canonical-state.js'
export { chainsOf } from './dataplane/iptables/chains.js'
export { checkState, type StructureProblem, type StructureProblemCode } from './dataplane/iptables/check.js'
export { type ParseResult, parseIptables } from './dataplane/iptables/parse.js'
export type * from './dataplane/iptables/parse-error.js'
export { printRestore, printRule } from './dataplane/iptables/print.js'
export { type Backend, type PrintSaveOptions, printSave } from './dataplane/iptables/print-save.js'
export type { Style } from './dataplane/iptables/style.js'
export * from './dataplane/ipvs/ast.js'
export type { ServerProblemCode } from './dataplane/ipvs/line.js'
export type { OptionProblem } from './dataplane/ipvs/options.js'
export type { IpvsParseErrorCode } from './dataplane/ipvs/parse.js'
export type { Assumption, Step } from './dataplane/netfilter/branch.js'
export type { Hook } from './dataplane/netfilter/hooks.js'
export type { Stage, Tool } from './dataplane/netfilter/stage.js'
export {
  apply,
  type Change,
  type Create,
  type Delete,
  type Edit,
  invert,
  type Patch,
  type Update as ResourceUpdate,
} from './diff/patch.js'
export type { Resource, Resources } from './diff/resource.js'
export type { Splice } from './diff/splice.js'
export type { Dump, DumpError, DumpErrorCode, FamilyDump } from './dump/dump.js'
export { type DumpResult, type ParseDumpOptions, parseDump } from './dump/parse-dump.js'
export type { Endpoint } from './endpoints/endpoint.js'
export type { Explanation, Why } from './explain/explain.js'
export { printExplanation } from './explain/print-explanation.js'
export { printSurvey } from './explain/print-survey.js'
export { type PacketSource, type SourceFacts, sampleSource, sourceOf } from './explain/sample-source.js'
export type { SurveyedFrontend, SurveyRow } from './explain/survey.js'
export * from './explain.js'
export { type Fraction, fractionText } from './internal/fraction.js'
export type { Replacement } from './internal/sorted-list.js'
export type { NodeInterfaceAddress } from './node/interface-addresses.js'
export type { NodeFacts } from './node/node-facts.js'
export type { NodePortAddresses } from './node/node-port-addresses.js'
export type { PodTraffic } from './node/pod-traffic.js'
export * from './node-rules.js'
export { buildPlan } from './plan/build-plan.js'
export { type AtFrontend, type Candidate, type Decision, type DecisionReason, decide } from './plan/decide.js'
export type {
  AllowedSources,
  Clause,
  ClauseVerdict,
  Frontend,
  FrontendKind,
  NodePortService,
  Plan,
  PlanFrame,
  PoolName,
  Pools,
  Reason,
  Route,
  ServicePlan,
  When,
} from './plan/plan.js'
export {
  type StaleAddress,
  type StaleAddressAndEndpoint,
  type StaleConnection,
  type StaleConnectionFields,
  type StaleNodePort,
  type StaleNodePortAndEndpoint,
  staleConnections,
} from './plan/stale-connections.js'
export * from './render.js'
export type { IpvsPart } from './render-ipvs.js'
export { type ApplyPlanOptions, diff, type FamilyPatch, isEmpty, plan, type ResultPatch } from './result-patch.js'
export type { HealthCheckNodePort } from './services/health-checks.js'
export type { Model } from './services/model.js'
export type { ServicePort, ServicePortId } from './services/service-port.js'
export { attributeRules } from './targets/iptables/attribute-rules.js'
export { cleanupIptables } from './targets/iptables/cleanup.js'
export { addressCommands } from './targets/ipvs/addresses.js'
export * from './targets/ipvs/graceful-termination.js'
export { planTermination } from './targets/ipvs/plan-termination.js'
export type { ServiceEntries } from './targets/ipvs/service-entries.js'
export type { SetEntry, SetMask, SetName } from './targets/ipvs/sets.js'
export { type IpvsSet, ipvsSets } from './targets/ipvs/sets.js'
export type * from './targets/ipvs/state.js'
export type { Connections, RealServerChange } from './targets/ipvs/sync-real-servers.js'
export type { CompiledMode, StateOf, States } from './targets/registry.js'
export { conntrackFilter } from './targets/shared/conntrack-filter.js'
export type { Earlier, Inspection, Limitation, ScriptOptions, StateCounts, Target } from './targets/target.js'
export type { Way } from './trace/trace.js'
export * from './trace-packet.js'
export * from './tracker.js'
export type * from './verify/report.js'
export { type VerifyOptions, verify } from './verify/verify.js'
