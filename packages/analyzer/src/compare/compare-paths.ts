import {
  addFractions,
  type Fraction,
  formatFraction,
  parseFraction,
} from '@kube-rules/compiler/internal/internal/fraction'
import { groupItems } from '@kube-rules/compiler/internal/internal/group-items'
import {
  areDistributionsEqual,
  formatOutcome,
  type OutcomeDistribution,
  sumOutcomeWeights,
} from '../plan/outcome-distribution.js'
import type { SharedPathEnd, TracePath } from '../trace/trace-paths.js'
import type { ComparedPathEnd } from './compared-path.js'

/** The comparison of two results: `same`, `other` (they differ) or `unknown` (undetermined). */
export type Equivalence = 'same' | 'other' | 'unknown'

/**
 * Maximum number of unknown conditions. With more conditions, their truth values are not enumerated, and the result is
 * `unknown`.
 */
const MAX_QUESTIONS = 6

/**
 * Compares two sets of paths with their probabilities. An unknown condition has the same value on both sides. The
 * result is `unknown` if it depends on an unknown condition, or if an outcome is unknown.
 */
export function comparePaths(a: readonly TracePath[], b: readonly TracePath[]): Equivalence {
  if ([...a, ...b].some(({ outcome }) => outcome.kind === 'unknown')) return 'unknown'
  if (describePaths(a) === describePaths(b)) return 'same'
  const questions = [
    ...new Set([...a, ...b].flatMap(({ assumptions }) => assumptions.map(({ condition }) => condition))),
  ]
  if (questions.length > MAX_QUESTIONS) return 'unknown'
  const diagnoses = Array.from({ length: 2 ** questions.length }, (_, number) => {
    const holding = new Set(questions.filter((_, index) => (number >> index) & 1))
    return areDistributionsEqual(
      computeOutcomeDistribution(consistent(a, holding)),
      computeOutcomeDistribution(consistent(b, holding)),
    )
  })
  if (diagnoses.every((same) => same)) return 'same'
  return diagnoses.some((same) => same) ? 'unknown' : 'other'
}

/** Returns the outcome, the conditions and the probability of each path, without its steps, in any order of the paths. */
function describePaths(paths: readonly TracePath[]): string {
  return paths
    .map(({ outcome, assumptions, weight }) => JSON.stringify([formatOutcome(outcome), assumptions, weight]))
    .sort()
    .join('\n')
}

function consistent(paths: readonly TracePath[], holding: ReadonlySet<string>): readonly TracePath[] {
  return paths.filter(({ assumptions }) =>
    assumptions.every(({ condition, value }) => value === holding.has(condition)),
  )
}

export function computeOutcomeDistribution(paths: readonly TracePath[]): OutcomeDistribution {
  return sumOutcomeWeights(paths.map(({ outcome, weight }) => ({ outcome, weight: parseFraction(weight) })))
}

/**
 * Returns the sources with different probabilities of outcomes on the two sides, and the sources of limited outcomes.
 * Undefined if a result depends on an unknown condition. Results that both sides have for the same list of sources are
 * skipped, because a service port with 1,000 endpoints has 1,000 results, most of them with 1,000 sources.
 */
export function findDifferingSources(
  a: readonly ComparedPathEnd[],
  b: readonly ComparedPathEnd[],
): ReadonlySet<string> | undefined {
  if ([...a, ...b].some(({ assumptions, outcome }) => assumptions.length > 0 || outcome.kind === 'unknown'))
    return undefined
  const [ofA, ofB] = [byOutcome(a), byOutcome(b)]
  const differing = new Set(
    [...a, ...b].flatMap(({ isLimited, equivalents }) => (isLimited ? equivalents.sources : [])),
  )
  for (const text of new Set([...ofA.keys(), ...ofB.keys()])) {
    const [some, others] = [ofA.get(text) ?? NONE, ofB.get(text) ?? NONE]
    if (formatGroups(some) === formatGroups(others)) continue
    const [shares, otherShares] = [sharesOf(some), sharesOf(others)]
    for (const source of new Set([...shares.keys(), ...otherShares.keys()])) {
      if (shares.get(source) !== otherShares.get(source)) differing.add(source)
    }
  }
  return differing
}

const NONE: readonly SharedPathEnd[] = []

function byOutcome(ends: readonly SharedPathEnd[]): ReadonlyMap<string, readonly SharedPathEnd[]> {
  return groupItems(ends, ({ outcome }) => formatOutcome(outcome))
}

/**
 * Formats results for comparison, with a number in place of each source list. Identical lists have the same number on
 * both sides.
 */
function formatGroups(ends: readonly SharedPathEnd[]): string {
  return ends
    .map(({ equivalents, weight }) => `${equivalents.id} ${formatFraction(weight)}`)
    .sort()
    .join(';')
}

/** Returns the probability of an outcome for each source. */
function sharesOf(ends: readonly SharedPathEnd[]): ReadonlyMap<string, string> {
  const sums = new Map<string, Fraction>()
  for (const { equivalents, weight } of ends) {
    for (const source of equivalents.sources) {
      const existing = sums.get(source)
      sums.set(source, existing === undefined ? weight : addFractions(existing, weight))
    }
  }
  return new Map(Array.from(sums, ([source, share]) => [source, formatFraction(share)]))
}
