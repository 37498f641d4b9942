import { addFractions, type Fraction, formatFraction } from '@kube-rules/compiler/internal/internal/fraction'
import type { Outcome } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { WeightedOutcome } from './ends-of-decision.js'

/** Outcomes of packets as text (`10.244.1.5:8080, masqueraded`), with their probabilities. */
export type OutcomeDistribution = ReadonlyMap<string, string>

/** Sums the weights of the outcomes of one packet. */
export function sumOutcomeWeights(ends: readonly WeightedOutcome[]): OutcomeDistribution {
  const sums = new Map<string, Fraction>()
  for (const { outcome, weight } of ends) {
    const text = formatOutcome(outcome)
    const existing = sums.get(text)
    sums.set(text, existing === undefined ? weight : addFractions(existing, weight))
  }
  return new Map(
    Array.from(sums, ([text, share]) => [text, formatFraction(share)] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Reports whether two distributions are the same. */
export function areDistributionsEqual(a: OutcomeDistribution, b: OutcomeDistribution): boolean {
  return a.size === b.size && [...a].every(([text, weight]) => b.get(text) === weight)
}

export function formatOutcome(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'delivered':
      return withMasquerade(joinHostPort(outcome.address, outcome.port), outcome.masqueraded)
    case 'unmatched':
      return withMasquerade(
        outcome.to === 'node' ? 'to the node, not handled by kube-proxy' : 'not handled by kube-proxy',
        outcome.masqueraded,
      )
    case 'proxy':
      return `to local port ${outcome.port} of the node`
    case 'rejected':
      return `rejected with ${outcome.with}`
    case 'dropped':
      return 'dropped'
    case 'unknown':
      return `undetermined: ${outcome.reason}`
  }
}

function withMasquerade(text: string, masqueraded: boolean): string {
  return masqueraded ? `${text}, masqueraded` : text
}
