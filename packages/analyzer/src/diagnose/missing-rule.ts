import { compareValues } from '@kube-rules/compiler/internal/internal/compare-values'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { Outcome, Packet } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { formatList } from '../explain/format-list.js'
import type { TracePath } from '../trace/trace-paths.js'
import type { Drift } from '../verify/report.js'
import { findDecidingDrift } from './deciding-drift.js'
import type { Diagnosis } from './diagnosis.js'
import { describeDrift, formatEvidence } from './drift-words.js'
import type { DriftWithOwner } from './node-diagnosis-context.js'
import {
  type ExpectedHandling,
  findDecidingStep,
  formatOutcomes,
  formatPackets,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'
import { createRestartOrScriptSteps } from './remedies.js'

/**
 * Diagnoses a packet that the node does not handle as the objects define, because a part of the rules of kube-proxy is
 * missing, wrong or out of date. The cause is the first such part on the path of the packet.
 */
export function diagnoseMissingRule(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { expected, packet, paths, reason } = facts
  if (expected === undefined) return undefined
  const isOther = reason?.divergence === 'drift' || hasOtherShares(paths, expected)
  if (!isOther) return undefined
  if (isDiagnosedElsewhere(facts)) return undefined
  const { decision, plan } = expected
  const drift = findDecidingDrift({
    packet,
    decision,
    paths,
    drift: expected.drift(),
    compiledPaths: expected.compiledPaths(),
  })
  if (drift === undefined) return undefined
  const servicePort = findServicePort(expected, packet)
  if (servicePort === undefined) return undefined
  const object = formatService(servicePort)
  return {
    code: drift.kind === 'missing' ? 'missingRule' : 'outdatedRule',
    summary: prefixWithNode(
      plan,
      `${formatPackets(packet)} ${describeOutcome(facts)}: ${describeProblem(drift, servicePort, facts)}`,
    ),
    cause: `${describeDrift(drift, ' for them')}: ${describeEffect(drift, facts)}; ${CAUSES[drift.kind]}, although ${object} needs ${drift.kind === 'extra' ? 'no such part' : 'it'}`,
    steps: createRestartOrScriptSteps(plan),
    object,
    ...formatEvidence(drift),
  }
}

/** Returns the service port of a packet or, for another port of its address, a service port with this address. */
function findServicePort({ decision, plan }: ExpectedHandling, { destination }: Packet): ServicePortId | undefined {
  if ('servicePort' in decision) return decision.servicePort
  return plan.services.find(({ frontends }) => frontends.some(({ address }) => address === destination))?.id
}

/** Reports whether the packet certainly reaches the endpoints of the objects, but with other probabilities. */
function hasOtherShares(paths: readonly TracePath[], { compiledPaths, drift }: ExpectedHandling): boolean {
  if (paths.length < 2 || paths.some(({ assumptions }) => assumptions.length > 0)) return false
  const compiled = compiledPaths()
  return (
    formatOutcomes(paths) === formatOutcomes(compiled) && sharesOf(paths) !== sharesOf(compiled) && drift().length > 0
  )
}

/** Returns the share of each endpoint as text: `90 % to 10.244.1.1:80, 10 % to 10.244.1.2:80`. */
function sharesOf(paths: readonly TracePath[]): string {
  return formatList(
    placesOf(paths).map(({ place, probability }) => `${Math.round(probability * 1000) / 10} % to ${place}`),
  )
}

/** Returns the addresses and ports that paths reach, sorted, with their probabilities. */
function placesOf(paths: readonly TracePath[]) {
  const places = paths.flatMap(({ outcome, probability }) =>
    outcome.kind === 'delivered' ? { place: joinHostPort(outcome.address, outcome.port), probability } : [],
  )
  return places.sort((a, b) => compareValues(a.place, b.place))
}

/** Describes the effect of drift. A rule that should match fewer packets masquerades more of them. */
function describeEffect({ reason }: Drift, { paths, expected }: PacketDiagnosisContext): string {
  const isMasqueraded = (each: TracePath) => each.outcome.kind === 'delivered' && each.outcome.masqueraded
  const compiled = expected?.compiledPaths() ?? []
  return paths.some(isMasqueraded) && compiled.some(isDelivered) && !compiled.some(isMasqueraded)
    ? 'packets are masqueraded that should keep their source address'
    : reason
}

/** Reports whether a virtual server without real servers, or a packet from an endpoint to itself, is the problem. */
function isDiagnosedElsewhere(facts: PacketDiagnosisContext): boolean {
  return facts.paths.some(
    ({ outcome }) =>
      (outcome.kind === 'rejected' && findDecidingStep(facts)?.table === 'ipvs') ||
      (outcome.kind === 'delivered' && outcome.address === facts.packet.source && !outcome.masqueraded),
  )
}

const PROBLEMS: Readonly<Record<Drift['kind'], string>> = {
  missing: 'is missing',
  changed: 'is wrong',
  extra: 'is out of date',
  misplaced: 'is in the wrong place',
}

/**
 * Describes drift for a summary. A missing part that all Services share is named, because the Service is not the cause.
 * It is not named for packets to a wrong endpoint, because a rule sends them there.
 */
function describeProblem(drift: DriftWithOwner, { text }: ServicePortId, facts: PacketDiagnosisContext): string {
  const isShared = drift.servicePort === ''
  if (isShared && drift.kind === 'missing' && !reachesOther(facts)) return describeDrift(drift)
  return `a part of the rules of ${isShared ? 'all Services' : text} ${PROBLEMS[drift.kind]} on the node`
}

const CAUSES: Readonly<Record<Drift['kind'], string>> = {
  missing: 'kube-proxy did not write this part, or another program deleted it',
  changed: 'kube-proxy did not update this part, or another program changed it',
  extra: 'kube-proxy did not delete this part, or another program added it',
  misplaced: 'kube-proxy did not move this part, or another program moved it',
}

/**
 * Describes the outcome of the packets that do not reach an endpoint of the Service. If all reach one, describes the
 * difference in masquerading.
 */
function describeOutcome({ paths, expected }: PacketDiagnosisContext): string {
  const compiled = expected?.compiledPaths() ?? []
  const wrong = paths.filter(({ outcome }) => outcome.kind !== 'delivered' || !isEndpoint(outcome, expected))
  if (expected !== undefined && wrong.length === 0 && hasOtherShares(paths, expected))
    return `reach its endpoints in other shares (${sharesOf(paths)}) than kube-proxy writes (${sharesOf(compiled)})`
  if (wrong.length === 0)
    return `${formatOutcomes(paths)}${describeUnreached(paths, compiled)}${describeSource(paths, compiled)}`
  const isCertain = paths.every(({ assumptions }) => assumptions.length === 0) && wrong.length === paths.length
  return `${formatOutcomes(wrong, isCertain ? 'certain' : 'possible')}${wrong.some(isDelivered) ? ' instead of an endpoint' : ''}`
}

/** Reports whether packets may reach an address that is not an endpoint. */
function reachesOther({ paths, expected }: PacketDiagnosisContext): boolean {
  return paths.some(({ outcome }) => outcome.kind === 'delivered' && !isEndpoint(outcome, expected))
}

function isDelivered({ outcome }: TracePath): boolean {
  return outcome.kind === 'delivered'
}

function isEndpoint(
  { address, port }: Extract<Outcome, { readonly kind: 'delivered' }>,
  expected: ExpectedHandling | undefined,
): boolean {
  const decision = expected?.decision
  if (decision?.kind !== 'endpoints') return false
  return decision.candidates.some(({ endpoint }) => endpoint.text === joinHostPort(address, port))
}

/** Describes the endpoints that packets certainly do not reach, although kube-proxy would send some of them there. */
function describeUnreached(paths: readonly TracePath[], compiled: readonly TracePath[]): string {
  if (paths.some(({ assumptions }) => assumptions.length > 0)) return ''
  const reached = new Set(placesOf(paths).map(({ place }) => place))
  const others = placesOf(compiled).flatMap(({ place }) => (reached.has(place) ? [] : place))
  return others.length === 0 ? '' : ` and never ${formatList([...new Set(others)])}`
}

/** Describes a difference in masquerading. Empty if the outcomes differ in another way. */
function describeSource(paths: readonly TracePath[], compiled: readonly TracePath[]): string {
  if (formatOutcomes(paths) !== formatOutcomes(compiled)) return ''
  const isMasqueraded = paths.some(({ outcome }) => outcome.kind === 'delivered' && outcome.masqueraded)
  return isMasqueraded
    ? ' with the address of the node as their source'
    : ' with their own source address, so their replies may not return through this node'
}
