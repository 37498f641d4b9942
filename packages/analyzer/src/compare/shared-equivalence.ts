import { addFractions, type Fraction, formatFraction } from '@kube-rules/compiler/internal/internal/fraction'
import type { SharedPathEnd } from '../trace/trace-paths.js'
import { formatOutcome } from './outcome-distribution.js'

/**
 * Returns the sources with different probabilities of outcomes on the two sides. Undefined if a result depends on an
 * unknown condition. Results that both sides have for the same list of sources are skipped, because a service port with
 * 1,000 endpoints has 1,000 results, most of them with 1,000 sources.
 */
export function findDifferingSources(
  a: readonly SharedPathEnd[],
  b: readonly SharedPathEnd[],
): ReadonlySet<string> | undefined {
  if ([...a, ...b].some(({ assumptions, outcome }) => assumptions.length > 0 || outcome.kind === 'unknown'))
    return undefined
  const [ofA, ofB] = [byOutcome(a), byOutcome(b)]
  const differing = new Set<string>()
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
  const endsByOutcome = new Map<string, SharedPathEnd[]>()
  for (const end of ends) {
    const text = formatOutcome(end.outcome)
    const existing = endsByOutcome.get(text)
    if (existing === undefined) endsByOutcome.set(text, [end])
    else existing.push(end)
  }
  return endsByOutcome
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
