import {
  addFractions,
  createFraction,
  type Fraction,
  formatFraction,
  multiplyFractions,
  ONE_FRACTION,
  parseFraction,
} from '@kube-rules/compiler/internal/internal/fraction'
import { type Decision, decide, isNodeAddress } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import type { Outcome, Packet } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { DECISION_LABELS } from '../plan/format-decision.js'
import type { ModePlan } from '../plan/mode-plan.js'
import { LIMITATION_PREDICATES as OF_IPTABLES } from '../targets/iptables/limitation-predicates.js'
import { computeIpvsOutcome } from '../targets/ipvs/compute-outcome.js'
import { LIMITATION_PREDICATES as OF_IPVS } from '../targets/ipvs/limitation-predicates.js'
import type { LimitationPredicate, TracedPacket, WeightedOutcome } from '../targets/limitation-predicate.js'
import { LIMITATION_PREDICATES as OF_NFTABLES } from '../targets/nftables/limitation-predicates.js'
import { formatEnds } from '../targets/shared/create-limitation-predicate.js'
import { computeUserspaceOutcome } from '../targets/userspace/compute-outcome.js'
import { LIMITATION_PREDICATES as OF_USERSPACE } from '../targets/userspace/limitation-predicates.js'

/**
 * The packets that the limitations of a mode affect, by limitation code. Each predicate depends only on the fields in
 * `planReadSet` and on the outcome of the packet. Limitations without a predicate do not affect destinations.
 */
type Explanations = Readonly<Record<string, LimitationPredicate>>

export const MODE_LIMITATION_PREDICATES: { readonly [M in ProxyMode]: Explanations } = {
  iptables: OF_IPTABLES,
  ipvs: OF_IPVS,
  nftables: OF_NFTABLES,
  userspace: OF_USERSPACE,
}

/**
 * Functions that compute the outcome of a packet with all limitations of a mode. The limitations of such a mode explain
 * only this outcome. In the other modes, each limitation has its own outcome.
 */
const OUTCOME_OF_MODE: Partial<Record<ProxyMode, (plan: Plan, packet: Packet) => readonly string[]>> = {
  ipvs: computeIpvsOutcome,
  userspace: computeUserspaceOutcome,
}

/** Reports whether the outcome of each packet in a mode can be computed from the plan alone. */
export function hasComputedOutcome(mode: ProxyMode): boolean {
  return OUTCOME_OF_MODE[mode] !== undefined
}

/**
 * Returns the codes of the limitations that explain the deviation of a mode from `expected`. Empty if there is no
 * deviation. Undefined if no limitation explains the deviation.
 */
export function findExplainingLimitations(
  { mode, plan }: ModePlan,
  packet: Packet,
  ends: readonly WeightedOutcome[],
  expected?: Decision,
): readonly string[] | undefined {
  const decision = decide(plan, packet)
  const traced: TracedPacket = { plan, packet, decision, expected: expected ?? decision, ends }
  const [should, does] = [outcomesOfDecision(traced.expected, passing(plan, packet)), outcomesOfEnds(traced)]
  const limitations = new Set<string>()
  for (const aspect of ['where', 'masquerade'] as const) {
    if (isSame(should, does, aspect)) continue
    const codes = Object.entries(MODE_LIMITATION_PREDICATES[mode]).filter(([, explains]) => explains[aspect]?.(traced))
    if (codes.length === 0) return undefined
    for (const [code] of codes) limitations.add(code)
  }
  const outcome = limitations.size === 0 ? undefined : OUTCOME_OF_MODE[mode]?.(plan, packet)
  return outcome === undefined || outcome.join('\n') === formatEnds(ends) ? [...limitations] : undefined
}

/** Reports whether two decisions are equivalent for packets, regardless of their reasons. */
export function areDecisionsEqual(a: Decision, b: Decision): boolean {
  const [some, other] = [outcomesOfDecision(a), outcomesOfDecision(b)]
  return isSame(some, other, 'where') && isSame(some, other, 'masquerade')
}

/** The outcomes of packets. */
interface Outcomes {
  /** The probability of each outcome. */
  readonly where: ReadonlyMap<string, string>
  /** Whether the source is masqueraded, by outcome. */
  readonly masquerade: ReadonlyMap<string, string>
}

/** Compares two sets of outcomes in one aspect. For masquerading, outcomes that only one set contains are ignored. */
function isSame({ where, masquerade }: Outcomes, other: Outcomes, aspect: keyof Outcomes): boolean {
  if (aspect === 'where')
    return where.size === other.where.size && [...where].every(([end, share]) => other.where.get(end) === share)
  return [...masquerade].every(([end, how]) => (other.masquerade.get(end) ?? how) === how)
}

interface Part {
  readonly end: string
  readonly weight: Fraction
  readonly masqueraded: string
}

function outcomesOfDecision(decision: Decision, unmatched = 'unmatched'): Outcomes {
  return outcomesOf(partsOfDecision(decision, ONE_FRACTION, unmatched))
}

function partsOfDecision(decision: Decision, whole: Fraction, unmatched = 'unmatched'): readonly Part[] {
  if (decision.kind !== 'endpoints' && decision.kind !== 'proxy') {
    const word = DECISION_LABELS[decision.kind]
    return [{ end: word === 'unmatched' ? unmatched : word, weight: whole, masqueraded: 'no' }]
  }
  if (decision.candidates.length === 0) return [{ end: 'closed', weight: whole, masqueraded: 'no' }]
  return decision.candidates.map(({ endpoint, weight: { numerator, denominator }, masquerade }) => ({
    end: endpoint.text,
    weight: multiplyFractions(whole, createFraction(numerator, denominator)),
    masqueraded: decision.kind === 'proxy' ? 'by the process' : yesOrNo(masquerade),
  }))
}

/**
 * Returns the outcomes of traced paths. If a path ends at the userspace proxy, its outcomes are the endpoints that the
 * proxy chooses according to the plan.
 */
function outcomesOfEnds({ ends, decision }: TracedPacket): Outcomes {
  return outcomesOf(
    ends.flatMap(({ outcome, weight }): readonly Part[] => {
      const share = parseFraction(weight)
      if (outcome.kind === 'proxy' && decision.kind === 'proxy') return partsOfDecision(decision, share)
      const masqueraded = yesOrNo('masqueraded' in outcome && outcome.masqueraded)
      const end = outcome.kind === 'delivered' ? joinHostPort(outcome.address, outcome.port) : endOf(outcome)
      return [{ end, weight: share, masqueraded }]
    }),
  )
}

function yesOrNo(is: boolean): string {
  return is ? 'yes' : 'no'
}

/** Returns the outcome of an unmatched packet, with `to the node` if it is to the node. */
function passing({ node }: Plan, { destination }: Packet): string {
  const isOwn = isNodeAddress(node, destination)
  return isOwn ? 'unmatched, to the node' : 'unmatched'
}

function endOf(outcome: Outcome): string {
  return outcome.kind === 'unmatched' && outcome.to === 'node' ? 'unmatched, to the node' : outcome.kind
}

function outcomesOf(parts: readonly Part[]): Outcomes {
  const shares = new Map<string, Fraction>()
  const masquerade = new Map<string, string>()
  for (const { end, weight, masqueraded } of parts) {
    const existing = shares.get(end)
    shares.set(end, existing === undefined ? weight : addFractions(existing, weight))
    masquerade.set(end, (masquerade.get(end) ?? masqueraded) === masqueraded ? masqueraded : 'both')
  }
  const texts = Array.from(shares, ([end, share]) => [end, formatFraction(share)] as const)
  // IPVS schedulers other than rr and wrr give each choice the probability 1. A single outcome therefore has the
  // probability 1, not the sum over its choices.
  return { where: new Map(texts.length === 1 ? texts.map(([end]) => [end, '1']) : texts), masquerade }
}
