import { checkOptions } from '@kube-rules/compiler/internal/arguments/check-argument'
import { checkResult } from '@kube-rules/compiler/internal/arguments/check-result'
import { checkShape } from '@kube-rules/compiler/internal/arguments/check-shape'
import { checkState } from '@kube-rules/compiler/internal/arguments/check-state'
import type { CompileResult, FamilyResult } from '@kube-rules/compiler/internal/compilation/compile-result'
import { formatEntry } from '@kube-rules/compiler/internal/dataplane/ipset/entries'
import { chainsWithOwnersOf, jumpTargetOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import { itemsOfArgument } from '@kube-rules/compiler/internal/model/reading/object-list'
import { type Decision, decide } from '@kube-rules/compiler/internal/plan/decide'
import { print } from '@kube-rules/compiler/internal/print/print'
import { belongsToKubeProxy } from '@kube-rules/compiler/internal/reconcile/belongs-to-kube-proxy'
import { isKubeletChain, isSharedWithKubelet } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { type Diagnostic, formatReference, type Protocol } from '@kube-rules/types'
import { checkExplanation } from '../arguments/check-results.js'
import { indexNodeNames } from '../explain/address-names.js'
import { findDivergence } from '../explain/difference.js'
import { FRONTEND_READERS } from '../explain/explain.js'
import type { Explanation } from '../explain/explain-paths.js'
import { recognizeRule } from '../neighbors/recognize-rule.js'
import type { PathStep } from '../program/steps.js'
import { isAssumedRule } from '../targets/shared/assumed-rule.js'
import { createTracer } from '../trace/trace.js'
import { checkTraceContext, TRACE_CONTEXT_FIELDS, type TraceContext } from '../trace/trace-context.js'
import type { DriftGroup } from '../verify/report.js'
import { verify } from '../verify/verify.js'
import { diagnoseAddressConflict } from './address-conflict.js'
import { diagnoseRejection } from './blocked-packets.js'
import type { Diagnosis } from './diagnosis.js'
import { findEndpointGap } from './endpoint-gaps.js'
import { findEndpointOrigin } from './endpoint-origin.js'
import { diagnoseEstablishedFlow } from './established.js'
import { diagnoseForeignNat } from './foreign-nat.js'
import { diagnoseForeignRule } from './foreign-rules.js'
import { diagnoseHairpin, isLoopBackSet } from './hairpin.js'
import { diagnoseIgnoredHints } from './ignored-hints.js'
import { diagnoseInvalidRules } from './invalid-rules.js'
import { diagnoseClaimedNodeAddress } from './ipvs/claimed-node-address.js'
import { diagnoseEmptyVirtualServer } from './ipvs/empty-virtual-server.js'
import { findLimitations } from './limitation-reasons.js'
import { diagnoseMissingRule } from './missing-rule.js'
import { diagnoseModeLimitation } from './mode-limit.js'
import type { ExpectedHandling, InvalidRule, PacketDiagnosisContext, RuleWithJump } from './packet-diagnosis-context.js'
import {
  type CompileArguments,
  createServiceAlternatives,
  type ServiceAlternatives,
  type ServiceName,
} from './service-alternatives.js'
import { diagnoseSharedChain } from './shared-chain.js'
import { findPodName } from './slice-facts.js'
import { diagnoseTranslationToService } from './translated-to-service.js'
import { rewriteRules } from './trial/rewrite-rules.js'
import { tryDiagnosisSteps } from './trial/try-steps.js'
import { diagnoseUnexpectedEndpoint } from './unexpected-endpoint.js'
import { diagnoseVersionChange } from './version-change.js'

/** Optional facts for diagnoses of a packet, in addition to its explanation. */
export interface DiagnosePacketOptions extends TraceContext {
  /** The compile result. If absent, diagnoses use only the rules. */
  readonly result?: CompileResult | undefined
  /** The inputs of `result`, to compute the behavior of other versions and modes. */
  readonly from?: CompileArguments | undefined
  /** Whether the packet belongs to an existing flow. By default, it is the first packet of its flow. */
  readonly established?: boolean | undefined
}

/**
 * Diagnoses the path of a packet, in four lines per diagnosis, with the decisive reason first. Returns an empty list if
 * there is no problem. `explanation` is the result of `explain` for the packet and `state`, with the plan of the same
 * result.
 */
export function diagnosePacket(
  explanation: Explanation,
  state: NodeState,
  options: DiagnosePacketOptions = {},
): readonly Diagnosis[] {
  checkExplanation('explanation', explanation)
  checkState('state', state)
  checkPacketOptions(options)
  const { result, from, established = false, ...traceContext } = options
  const family = result?.families.find((each) => each.family === state.family)
  const expected = result && family && expectedOf({ explanation, state, result, family, from, traceContext })
  const facts: PacketDiagnosisContext = {
    ...explanation,
    expected,
    rulesOf: (step) => rulesOfChain(state, step),
    nextSourceChange: (entry) => nextSourceChange(entry, explanation, state, traceContext),
    missingLoopBack: (...endpoint) => missingLoopBack(state, ...endpoint),
    hasServiceRules: () => result !== undefined && FRONTEND_READERS[result.mode](state).length > 0,
    isKubernetesChain,
    neighborOf: (step) => recognizeRule(step, chainsOfTable(state, step)),
  }
  const diagnoses = diagnosePacketFacts(facts, established)
  if (result === undefined || family === undefined) return diagnoses
  const trial = { state, result, family, from, traceContext, packet: explanation.packet, paths: explanation.paths }
  return diagnoses.map((each) => tryDiagnosisSteps(each, { ...trial, services: servicesOf(each, expected?.decision) }))
}

/** Returns the Services that a trial needs: that of the packet, and the one that the diagnosis is about. */
function servicesOf({ object }: Diagnosis, decision: Decision | undefined): readonly ServiceName[] {
  const [, namespace, name] = /^Service ([^/]*)\/(.*)$/.exec(object) ?? []
  return [
    ...(decision !== undefined && 'servicePort' in decision ? [decision.servicePort] : []),
    ...(namespace === undefined || name === undefined ? [] : [{ namespace, name }]),
  ]
}

function checkPacketOptions(options: DiagnosePacketOptions): void {
  const types = { result: 'other', from: 'other', established: 'boolean', ...TRACE_CONTEXT_FIELDS } as const
  const fields = checkOptions<DiagnosePacketOptions>(options, types)
  checkTraceContext('options', options)
  if (fields.result !== undefined) checkResult('options.result', fields.result)
  if (fields.from !== undefined) {
    const expected = 'the arguments of compile, as an object with input and options'
    checkShape('options.from', fields.from, { input: 'object', options: 'object' }, expected)
  }
}

interface DiagnosisArguments {
  readonly explanation: Explanation
  readonly state: NodeState
  readonly result: CompileResult
  readonly family: FamilyResult
  readonly from: CompileArguments | undefined
  readonly traceContext: TraceContext
}

function expectedOf(given: DiagnosisArguments): ExpectedHandling {
  const { result, from, traceContext } = given
  const { packet } = given.explanation
  const { plan, state, healthCheckNodePorts: healthChecks } = given.family
  const { mode } = result
  const decision = decide(plan, packet)
  const others =
    from && 'servicePort' in decision ? createServiceAlternatives(result, from, decision.servicePort) : undefined
  return {
    plan,
    decision,
    mode,
    version: result.kubernetesVersion,
    healthChecks,
    loadFailure: from && findLoadFailure(result, decision, state, from),
    change: () => others?.changeFor(packet),
    podOf: (service, endpoint) => from && findPodName(from.input, service, endpoint),
    originOf: (service, endpoint) => from && findEndpointOrigin(from.input, service, endpoint),
    endpointGapOf: (service) => from && findEndpointGap(from.input, service, plan.family),
    otherNodeWith: createLazyNodeNames(from, plan.node.name),
    drift: () => findDrift(given),
    compiledPaths: createLazyGetter(() => createTracer(state, traceContext)(packet)),
    rewrittenPaths: createLazyGetter(() =>
      createTracer(rewriteRules(given.state, mode, given.family), traceContext)(packet),
    ),
    limitations: () => findLimitations({ mode, plan }, packet),
    betterModes: () => others?.betterModes(packet) ?? [],
  }
}

/** Returns a function that finds the name of another Node by its address. */
function createLazyNodeNames(from: CompileArguments | undefined, own: string): ExpectedHandling['otherNodeWith'] {
  const names = createLazyGetter(() => indexNodeNames(itemsOfArgument('nodes', 'Node', from?.input.nodes ?? [])))
  return (address) => {
    const name = names().get(address)
    return name === own ? undefined : name
  }
}

/** Verifies the family of the packet. The other family has no part in its path. */
function findDrift({ state, result, family }: DiagnosisArguments): readonly DriftGroup[] {
  const dump = { IPv4: { family: 'IPv4' }, IPv6: { family: 'IPv6' }, [state.family]: state } as const
  const [report] = verify({ ...result, families: [family] }, dump).families
  return report === undefined || report.caveats.some(({ about }) => about !== 'input') ? [] : report.drift
}

/**
 * Returns the reason why the rules of kube-proxy fail to load: a comment that is too long, or a match on a prefix of
 * the interface name.
 */
function findLoadFailure(
  result: CompileResult,
  decision: Decision,
  state: NodeState,
  from: CompileArguments,
): InvalidRule | undefined {
  const diagnostic = result.diagnostics.find(isInvalidRuleCode)
  if (diagnostic === undefined || decision.kind === 'unmatched') return undefined
  const { namespace = '', name } = diagnostic.object
  const isOfService = diagnostic.object.kind === 'Service'
  const lines = print(state, { format: 'save' }).split('\n')
  const line = lines.find((each) =>
    isOfService ? tooLongComment(each, `${namespace}/${name}`) : matchesInterfacePrefix(each),
  )
  if (line === undefined) return undefined
  const others: ServiceAlternatives = createServiceAlternatives(result, from, { namespace, name })
  const bytes = isOfService ? tooLongComment(line, `${namespace}/${name}`) : undefined
  return {
    object: isOfService ? formatReference(diagnostic.object) : diagnostic.object.kind,
    service: isOfService ? { namespace, name } : undefined,
    reason:
      bytes === undefined
        ? `its detectLocalMode matches pods by a prefix of the interface name (${/iif (?:!= )?"([^"]*)"/.exec(line)?.[1]}), and nft accepts complete names only`
        : `kube-proxy writes its name and the name of its port into a comment of ${bytes} bytes, and the limit of nft is 128`,
    rule: line.trim(),
    fixedIn: others.firstVersion(({ diagnostics }) => !diagnostics.some(isInvalidRuleCode)),
  }
}

function matchesInterfacePrefix(line: string): boolean {
  const start = line.search(/\biif\b/)
  return start >= 0 && line.includes('*', start)
}

function isInvalidRuleCode({ code, object, message }: Diagnostic): boolean {
  return (
    code === 'modeLimitation' &&
    (object.kind === 'KubeProxyConfiguration' || /\((?:commentTooLong|overlappingSourceRanges)\)$/.test(message))
  )
}

/**
 * Returns the length of a comment about this Service if it exceeds the limit of nft. The limit is in bytes, which equal
 * characters, because names are plain ASCII.
 */
function tooLongComment(line: string, service: string): number | undefined {
  const [, comment = ''] = /comment "([^"]*)"/.exec(line) ?? []
  return comment.startsWith(service) && comment.length > 128 ? comment.length : undefined
}

function chainsOfTable({ iptables }: NodeState, { table: by }: PathStep): readonly string[] {
  const table = iptables?.tables.find(({ name }) => by === `iptables ${name}`)
  return table === undefined ? [] : [...chainsWithOwnersOf(table).keys()]
}

function rulesOfChain({ family, iptables }: NodeState, { table: by, chain }: PathStep): readonly RuleWithJump[] {
  const table = iptables?.tables.find(({ name }) => by === `iptables ${name}`)
  const rules = (table && chainsWithOwnersOf(table).get(chain)) ?? []
  return rules.map(({ rule }) => ({ text: printRule(rule, 'save', family), jumpsTo: jumpTargetOf(rule) ?? '' }))
}

/**
 * Traces the packet again without the POSTROUTING jump `entry`. Returns the jump that then changes the source. A jump
 * that the dump does not show is none of them.
 */
function nextSourceChange(
  entry: PathStep,
  { packet }: Explanation,
  state: NodeState,
  traceContext: TraceContext,
): ReturnType<PacketDiagnosisContext['nextSourceChange']> {
  const { family, iptables } = state
  if (iptables === undefined) return undefined
  const isEntry = (rule: Parameters<typeof printRule>[0]) => printRule(rule, 'save', family) === entry.text
  const tables = iptables.tables.map((table) =>
    table.name === 'nat' ? { ...table, jumps: table.jumps.filter((rule) => !isEntry(rule)) } : table,
  )
  const paths = createTracer({ ...state, iptables: { ...iptables, tables } }, traceContext)(packet)
  for (const { steps } of paths) {
    const behind = steps.filter(({ hook, table }) => hook === 'POSTROUTING' && table === 'iptables nat')
    if (!/^(?:MASQUERADE|SNAT)\b/.test(behind.at(-1)?.target ?? '')) continue
    const jump = behind.filter(({ chain }) => chain === 'POSTROUTING').at(-1)
    if (jump === undefined || jump.jumpsTo === '') continue
    const index = rulesOfChain(state, jump).findIndex(({ text }) => text === jump.text)
    return index < 0 ? undefined : { chain: jump.jumpsTo, index: index + 1 }
  }
  return undefined
}

/** Returns the entry that the loop-back set of the node should contain for the endpoint, if it is missing there. */
function missingLoopBack({ ipset }: NodeState, address: string, port: number, protocol: Protocol): string | undefined {
  const set = ipset?.sets.find(({ name }) => isLoopBackSet(name))
  const entry = `${address},${protocol.toLowerCase()}:${port},${address}`
  const isThere = set?.entries.some((each) => formatEntry(each) === entry)
  return set === undefined || isThere ? undefined : `${set.name} ${entry}`
}

function isKubernetesChain(id: string): boolean {
  const chain = id.slice(id.indexOf('/') + 1)
  return belongsToKubeProxy(id) || isKubeletChain(id) || isSharedWithKubelet(chain)
}

/**
 * Diagnoses a packet. If `isEstablished` is true, the packet belongs to an existing flow. Returns an empty list if
 * there is no problem.
 */
function diagnosePacketFacts(facts: PacketDiagnosisContext, isEstablished: boolean): readonly Diagnosis[] {
  const diagnoses = [
    isEstablished ? diagnoseEstablishedFlow(facts) : undefined,
    lostPacketDiagnosis(facts),
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
    diagnoseModeLimitation(facts)
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
