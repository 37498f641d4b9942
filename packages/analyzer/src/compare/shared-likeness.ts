import { add, type Fraction, fractionText } from '@kube-rules/compiler/internal/internal/fraction'
import type { SharedEnd } from '../trace/trace-ways.js'
import { outcomeText } from './distribution.js'

/**
 * The sources of whose packets two sides make something else, with the same probabilities on neither; undefined where an end
 * depends on what cannot be told. Ends that both sides have for the same sources are not looked at source by source: a
 * service port of 1,000 endpoints has as many ends, most of them of as many sources.
 */
export function sourcesThatDiffer(a: readonly SharedEnd[], b: readonly SharedEnd[]): ReadonlySet<string> | undefined {
  if ([...a, ...b].some(({ assumptions, outcome }) => assumptions.length > 0 || outcome.kind === 'unknown'))
    return undefined
  const [ofA, ofB] = [byOutcome(a), byOutcome(b)]
  const differing = new Set<string>()
  for (const text of new Set([...ofA.keys(), ...ofB.keys()])) {
    const [some, others] = [ofA.get(text) ?? NONE, ofB.get(text) ?? NONE]
    if (groupsText(some) === groupsText(others)) continue
    const [shares, otherShares] = [sharesOf(some), sharesOf(others)]
    for (const source of new Set([...shares.keys(), ...otherShares.keys()])) {
      if (shares.get(source) !== otherShares.get(source)) differing.add(source)
    }
  }
  return differing
}

const NONE: readonly SharedEnd[] = []

function byOutcome(ends: readonly SharedEnd[]): ReadonlyMap<string, readonly SharedEnd[]> {
  const found = new Map<string, SharedEnd[]>()
  for (const end of ends) {
    const text = outcomeText(end.outcome)
    const known = found.get(text)
    if (known === undefined) found.set(text, [end])
    else known.push(end)
  }
  return found
}

/** Lists of sources have one number on both sides. */
function groupsText(ends: readonly SharedEnd[]): string {
  return ends
    .map(({ alike, weight }) => `${alike.id} ${fractionText(weight)}`)
    .sort()
    .join(';')
}

/** How likely an outcome is for each source. */
function sharesOf(ends: readonly SharedEnd[]): ReadonlyMap<string, string> {
  const sums = new Map<string, Fraction>()
  for (const { alike, weight } of ends) {
    for (const source of alike.sources) {
      const known = sums.get(source)
      sums.set(source, known === undefined ? weight : add(known, weight))
    }
  }
  return new Map(Array.from(sums, ([source, share]) => [source, fractionText(share)]))
}
