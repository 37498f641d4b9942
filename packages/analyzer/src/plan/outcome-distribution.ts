import { addFractions, formatFraction } from '@kube-rules/compiler/internal/internal/fraction'
import type { Outcome } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { WeightedOutcome } from './ends-of-decision.js'

/** Outcomes of packets with their probabilities, by the text of the outcome (`10.244.1.5:8080, masqueraded`). */
export type OutcomeDistribution = ReadonlyMap<string, Share>

interface Share {
  readonly outcome: Outcome
  /** The probability, as text: `1/2`. */
  readonly weight: string
}

/** Sums the weights of the outcomes of one packet. */
export function sumOutcomeWeights(ends: readonly WeightedOutcome[]): OutcomeDistribution {
  const sums = new Map<string, WeightedOutcome>()
  for (const { outcome, weight } of ends) {
    const text = formatOutcome(outcome)
    const existing = sums.get(text)
    sums.set(text, { outcome, weight: existing === undefined ? weight : addFractions(existing.weight, weight) })
  }
  return sortByText(
    Array.from(sums, ([text, { outcome, weight }]) => [text, { outcome, weight: formatFraction(weight) }]),
  )
}

/** Returns a distribution with other outcomes, each with the same probability. They must be as distinct as before. */
export function mapOutcomes(
  distribution: OutcomeDistribution,
  map: (outcome: Outcome) => Outcome,
): OutcomeDistribution {
  const outcomes = Array.from(distribution.values(), ({ outcome, weight }) => ({ outcome: map(outcome), weight }))
  return sortByText(outcomes.map((each) => [formatOutcome(each.outcome), each]))
}

function sortByText(entries: (readonly [text: string, share: Share])[]): OutcomeDistribution {
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns the probabilities of the outcomes by their texts, as a comparison reports them. */
export function toOutcomeRecord(distribution: OutcomeDistribution): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from(distribution, ([text, { weight }]) => [text, weight]))
}

/** Reports whether two distributions are the same. */
export function areDistributionsEqual(a: OutcomeDistribution, b: OutcomeDistribution): boolean {
  return a.size === b.size && [...a].every(([text, { weight }]) => b.get(text)?.weight === weight)
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
