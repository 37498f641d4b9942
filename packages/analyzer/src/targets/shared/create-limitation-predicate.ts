import { joinHostPort } from '@kube-rules/types/internal/ip'
import { formatEndpointOutcome } from '../../plan/format-decision.js'
import type { LimitationPredicate, TracedPacket, WeightedOutcome } from '../limitation-predicate.js'

/**
 * Creates a predicate that selects the packets with the outcome that they would have under a limitation. `textsOf`
 * returns this outcome in the notation of `formatDecision`, or undefined if the limitation has no effect on the packet.
 */
export function createLimitationPredicate(
  textsOf: (traced: TracedPacket) => readonly string[] | undefined,
): LimitationPredicate {
  const isSo = (traced: TracedPacket) => textsOf(traced)?.join('\n') === formatEnds(traced.ends)
  return { where: isSo, masquerade: isSo }
}

/**
 * Formats the outcomes of a packet as sorted lines, in the notation of `formatDecision`. The line for an unmatched and
 * masqueraded packet is `unmatched*`.
 */
export function formatEnds(ends: readonly WeightedOutcome[]): string {
  return [...new Set(ends.map(textOf))].sort().join('\n')
}

function textOf({ outcome, weight }: WeightedOutcome): string {
  if (outcome.kind === 'unmatched') return outcome.masqueraded ? 'unmatched*' : 'unmatched'
  if (outcome.kind !== 'delivered') return outcome.kind
  return formatEndpointOutcome(joinHostPort(outcome.address, outcome.port), outcome.masqueraded, weight)
}
