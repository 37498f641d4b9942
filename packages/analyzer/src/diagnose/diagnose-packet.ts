import { checkOptions } from '@kube-rules/compiler/internal/arguments/check-argument'
import { checkResult } from '@kube-rules/compiler/internal/arguments/check-result'
import { checkShape } from '@kube-rules/compiler/internal/arguments/check-shape'
import { checkState } from '@kube-rules/compiler/internal/arguments/check-state'
import type { CompileResult } from '@kube-rules/compiler/internal/compilation/compile-result'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import type { Decision } from '@kube-rules/compiler/internal/plan/decide'
import { PROXY_MODES } from '@kube-rules/compiler/internal/targets/modes'
import { parseObjectReference } from '@kube-rules/types/internal/diagnostic'
import { checkExplanation, checkFamilyReport } from '../arguments/check-results.js'
import { findDivergence } from '../explain/difference.js'
import { FRONTEND_READERS } from '../explain/explain.js'
import type { Explanation } from '../explain/explain-paths.js'
import { recognizeRule } from '../neighbors/recognize-rule.js'
import { isAssumedRule } from '../targets/shared/assumed-rule.js'
import { createTracer } from '../trace/trace.js'
import { checkTraceContext, TRACE_CONTEXT_FIELDS, type TraceContext } from '../trace/trace-context.js'
import type { FamilyReport } from '../verify/report.js'
import { diagnoseAddressConflict } from './address-conflict.js'
import { diagnoseRejection } from './blocked-packets.js'
import { createChainLookup, nextSourceChange, rulesOfChain } from './chain-rules.js'
import type { Diagnosis } from './diagnosis.js'
import { diagnoseEstablishedFlow } from './established.js'
import { createExpectedHandling } from './expected-handling.js'
import { diagnoseForeignNat } from './foreign-nat.js'
import { diagnoseForeignRule } from './foreign-rules.js'
import { diagnoseHairpin, findMissingLoopBack } from './hairpin.js'
import { diagnoseIgnoredHints } from './ignored-hints.js'
import { diagnoseInvalidRules } from './invalid-rules.js'
import { diagnoseClaimedNodeAddress } from './ipvs/claimed-node-address.js'
import { diagnoseEmptyVirtualServer } from './ipvs/empty-virtual-server.js'
import { diagnoseForwardingMethod } from './ipvs/forwarding-method.js'
import { diagnoseMissingRule } from './missing-rule.js'
import { diagnoseModeLimitation } from './mode-limit.js'
import type { PacketDiagnosisContext } from './packet-diagnosis-context.js'
import { diagnoseOutdatedRejection } from './rules-only/blocked-by-rule.js'
import { diagnoseByPartOfRules, diagnoseByRules } from './rules-only/diagnose-by-rules.js'
import type { CompileArguments, ServiceName } from './service-alternatives.js'
import { diagnoseSharedChain } from './shared-chain.js'
import { diagnoseTranslationToService } from './translated-to-service.js'
import { tryDiagnosisSteps } from './trial/try-steps.js'
import { diagnoseUnexpectedEndpoint } from './unexpected-endpoint.js'
import { diagnoseUnservedNodePort } from './unserved-node-port.js'
import { diagnoseVersionChange } from './version-change.js'

/** Optional facts for diagnoses of a packet, in addition to its explanation. */
export interface DiagnosePacketOptions extends TraceContext {
  /** The compile result. If absent, diagnoses use only the rules. */
  readonly result?: CompileResult | undefined
  /** The inputs of `result`, to compute the behavior of other versions and modes. */
  readonly from?: CompileArguments | undefined
  /** Whether the packet belongs to an existing flow. By default, it is the first packet of its flow. */
  readonly established?: boolean | undefined
  /** The report of `verify` for the family of the packet. If absent, the state is verified when a diagnosis needs it. */
  readonly report?: FamilyReport | undefined
}

/**
 * Diagnoses the path of a packet: effect, cause, remedy and rule, with the decisive reason first. Returns an empty
 * list if there is no problem. `explanation` is the result of `explain` for the packet and `state`, with the plan of
 * the same result.
 */
export function diagnosePacket(
  explanation: Explanation,
  state: NodeState,
  options: DiagnosePacketOptions = {},
): readonly Diagnosis[] {
  checkExplanation('explanation', explanation)
  checkState('state', state)
  checkPacketOptions(options)
  const { result, from, established = false, report, ...traceContext } = options
  const family = result?.families.find((each) => each.family === state.family)
  const expected =
    result && family && createExpectedHandling({ explanation, state, result, family, report, from, traceContext })
  const chainsOf = createChainLookup(state)
  const facts: PacketDiagnosisContext = {
    ...explanation,
    expected,
    state,
    traceIn: (other, packet = explanation.packet) => createTracer(other, traceContext)(packet),
    frontends: createLazyGetter(() => PROXY_MODES.flatMap((mode) => FRONTEND_READERS[mode](state))),
    rulesOf: (step) => rulesOfChain(state, step),
    nextSourceChange: (entry) => nextSourceChange(entry, explanation, state, traceContext),
    missingLoopBack: (...endpoint) => findMissingLoopBack(state, ...endpoint),
    hasServiceRules: () => result !== undefined && FRONTEND_READERS[result.mode](state).length > 0,
    neighborOf: (step) => recognizeRule(step, () => chainsOf(step)),
  }
  const diagnoses = diagnosePacketFacts(facts, established)
  const trial = { state, traceContext, packet: explanation.packet, paths: explanation.paths }
  return diagnoses.map((each) => {
    const objects = result && family && { result, family, from, services: servicesOf(each, expected?.decision) }
    return tryDiagnosisSteps(each, { ...trial, objects })
  })
}

/** Returns the Services that a trial needs: that of the packet, and the one that the diagnosis is about. */
function servicesOf({ object }: Diagnosis, decision: Decision | undefined): readonly ServiceName[] {
  const { kind, namespace, name } = parseObjectReference(object)
  return [
    ...(decision !== undefined && 'servicePort' in decision ? [decision.servicePort] : []),
    ...(kind === 'Service' && namespace !== undefined ? [{ namespace, name }] : []),
  ]
}

function checkPacketOptions(options: DiagnosePacketOptions): void {
  const own = { result: 'other', from: 'other', established: 'boolean', report: 'other' } as const
  const fields = checkOptions<DiagnosePacketOptions>(options, { ...own, ...TRACE_CONTEXT_FIELDS })
  checkTraceContext('options', options)
  if (fields.result !== undefined) checkResult('options.result', fields.result)
  if (fields.report !== undefined) checkFamilyReport('options.report', fields.report)
  if (fields.from !== undefined) {
    const expected = 'the arguments of compile, as an object with input and options'
    checkShape('options.from', fields.from, { input: 'object', options: 'object' }, expected)
  }
}

/**
 * Diagnoses a packet. If `isEstablished` is true, the packet belongs to an existing flow. Returns an empty list if
 * there is no problem.
 */
function diagnosePacketFacts(facts: PacketDiagnosisContext, isEstablished: boolean): readonly Diagnosis[] {
  const diagnoses = [
    isEstablished ? diagnoseEstablishedFlow(facts) : undefined,
    lostPacketDiagnosis(facts),
    diagnoseForwardingMethod(facts),
    diagnoseAddressConflict(facts),
    diagnoseIgnoredHints(facts),
    diagnoseUnexpectedEndpoint(facts),
    diagnoseHairpin(facts),
  ]
  return diagnoses.flatMap((diagnosis) => diagnosis ?? []).filter(({ rule }) => !isAssumedRule(rule))
}

/** Returns the diagnosis of the one cause that decides the outcome of a lost packet. */
function lostPacketDiagnosis(facts: PacketDiagnosisContext): Diagnosis | undefined {
  return (
    // Checked first, because rules that fail to load have no effect.
    diagnoseInvalidRules(facts) ??
    diagnoseOutdatedRejection(facts) ??
    // Checked before rules of other programs, which may only apply because no rule translates the packet.
    (isUntranslated(facts) || isRepairedByRewriting(facts) ? diagnoseMissingRule(facts) : undefined) ??
    diagnoseForeignRule(facts) ??
    diagnoseForeignNat(facts) ??
    diagnoseTranslationToService(facts) ??
    diagnoseClaimedNodeAddress(facts) ??
    diagnoseMissingRule(facts) ??
    diagnoseSharedChain(facts) ??
    diagnoseVersionChange(facts) ??
    diagnoseEmptyVirtualServer(facts) ??
    diagnoseRejection(facts) ??
    diagnoseModeLimitation(facts) ??
    diagnoseUnservedNodePort(facts) ??
    diagnoseByRules(facts) ??
    diagnoseByPartOfRules(facts)
  )
}

/** Reports whether no rule changes the destination of a packet on its way to the filter table, as a rule should. */
function isUntranslated({ paths, expected }: PacketDiagnosisContext): boolean {
  return (
    expected?.decision.kind === 'endpoints' &&
    paths.every(
      ({ steps }) =>
        steps.at(-1)?.table === 'iptables filter' && !steps.some(({ rewrites }) => rewrites === 'destination'),
    )
  )
}

/**
 * Reports whether a blocked packet passes the rules of other programs once kube-proxy has written its rules again. The
 * policy of FORWARD, for example, drops packets that a missing rule of kube-proxy accepts.
 */
function isRepairedByRewriting({ paths, reason, expected }: PacketDiagnosisContext): boolean {
  if (expected === undefined || reason?.divergence !== 'drift' || expected.drift().length === 0) return false
  const isBlocked = paths.every(({ outcome }) => outcome.kind === 'rejected' || outcome.kind === 'dropped')
  return isBlocked && findDivergence(expected.decision, expected.rewrittenPaths(), undefined) === undefined
}
