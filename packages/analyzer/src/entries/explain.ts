export type { AddressTemplate, AddressTemplateLookup } from '../compare/address-templates.js'
export { createVerifiedTemplateLookup } from '../compare/verified-templates.js'
export { type DiagnosePacketOptions, diagnosePacket } from '../diagnose/diagnose-packet.js'
export {
  DIAGNOSIS_CODES,
  type Diagnosis,
  type DiagnosisCode,
  type DiagnosisStep,
  type StepChange,
} from '../diagnose/diagnosis.js'
export { hasNatServiceRules } from '../diagnose/emptied-table.js'
export { isInKubernetesChain } from '../diagnose/foreign-rule.js'
export { createRuleLocator, type DumpLocation } from '../diagnose/locate-rule.js'
export type { CompileArguments } from '../diagnose/service-alternatives.js'
export { isUndetermined } from '../explain/difference.js'
export {
  classifySource,
  createExampleSource,
  type PacketSource,
  type PacketSourceContext,
} from '../explain/example-source.js'
export { createSourceContext, findNodePortAddress, listFrontends } from '../explain/explain.js'
export type { ReasonSummary } from '../explain/explain-paths.js'
export { findLoadBalancerHosts, type LoadBalancerHost } from '../explain/load-balancer-hosts.js'
export { isDelivered, isUndeterminedRow, ORIGINS, type TracedFrontend } from '../explain/reachability.js'
export type { PathStep } from '../program/steps.js'
export { addExpectedChains } from '../trace/add-expected-chains.js'
export { createTracer } from '../trace/trace.js'
export { type AffinityEntry, traceContextFor } from '../trace/trace-context.js'
export { annotateOwners } from '../verify/annotate-owners.js'
export { printDiagnosis, printExplanation, printReachability } from '../view/print-texts.js'
