import type { Packet } from '@kube-rules/types'
import type {
  LimitationPredicate,
  TracedPacket,
  WeightedOutcome,
} from '../../../analyzer/src/targets/limitation-predicate.js'
import { type Decision, decide } from '../../src/plan/decide.js'
import type { Plan } from '../../src/plan/plan.js'

type Kind = WeightedOutcome['outcome']['kind']

const ENDS: { readonly [K in Kind]: Extract<WeightedOutcome['outcome'], { kind: K }> } = {
  delivered: { kind: 'delivered', address: '10.180.0.1', port: 80, masqueraded: false },
  proxy: { kind: 'proxy', port: 40000 },
  rejected: { kind: 'rejected', with: 'icmp-port-unreachable' },
  dropped: { kind: 'dropped' },
  unmatched: { kind: 'unmatched', to: 'network', masqueraded: false },
  unknown: { kind: 'unknown', reason: '' },
}

/**
 * Builds a packet with the plan's decision and with traced outcomes of these kinds; `wanted` is the expected decision.
 */
export function tracedPacket(
  plan: Plan,
  packet: Packet,
  ends: readonly Kind[],
  expected: Decision = decide(plan, packet),
): TracedPacket {
  const decision = decide(plan, packet)
  return { plan, packet, decision, expected, ends: ends.map((kind) => ({ outcome: ENDS[kind], weight: '1' })) }
}

/** Returns the aspects that a limitation may explain: `where`, `masquerade`, both or neither. */
export function explained(explanation: LimitationPredicate | undefined, traced: TracedPacket): readonly string[] {
  return (['where', 'masquerade'] as const).filter((aspect) => explanation?.[aspect]?.(traced) === true)
}
