import type { Packet } from '@kube-rules/types'
import type {
  LimitationPredicate,
  TracedPacket,
  WeightedOutcome,
} from '../../../analyzer/src/targets/limitation-predicate.js'
import { type Decision, decide } from '../../src/plan/decide.js'
import type { Plan } from '../../src/plan/plan.js'

type Kind = WeightedOutcome['outcome']['kind']

/** A kind of outcome; an asterisk means masqueraded. */
type End = Kind | 'delivered*' | 'unmatched*'

const ENDS: Readonly<Record<End, WeightedOutcome['outcome']>> = {
  delivered: { kind: 'delivered', address: '10.180.0.1', port: 80, masqueraded: false },
  'delivered*': { kind: 'delivered', address: '10.180.0.1', port: 80, masqueraded: true },
  proxy: { kind: 'proxy', port: 40000 },
  rejected: { kind: 'rejected', with: 'icmp-port-unreachable' },
  dropped: { kind: 'dropped' },
  unmatched: { kind: 'unmatched', to: 'network', masqueraded: false },
  'unmatched*': { kind: 'unmatched', to: 'network', masqueraded: true },
  unknown: { kind: 'unknown', reason: '' },
}

/**
 * Builds a packet with the plan's decision and with traced outcomes of these kinds; `wanted` is the expected decision.
 */
export function tracedPacket(
  plan: Plan,
  packet: Packet,
  ends: readonly End[],
  expected: Decision = decide(plan, packet),
): TracedPacket {
  const decision = decide(plan, packet)
  return { plan, packet, decision, expected, ends: ends.map((kind) => ({ outcome: ENDS[kind], weight: '1' })) }
}

/** Returns the aspects that a limitation may explain: `where`, `masquerade`, both or neither. */
export function explained(explanation: LimitationPredicate | undefined, traced: TracedPacket): readonly string[] {
  return (['where', 'masquerade'] as const).filter((aspect) => explanation?.[aspect]?.(traced) === true)
}
