import type { Comparison, Finding, UnverifiedPart } from '@kube-rules/compiler/internal/dataplane/comparison'
import { type Fragment, type Known, knownIn } from '@kube-rules/compiler/internal/dataplane/netfilter/fragment'
import type { Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'

/** What a comparison was made of. */
export interface ComparedFragment {
  readonly language: Subsystem
  /** The ids of what was compiled. */
  readonly wanted: Iterable<string>
  readonly fragment: Fragment
}

/**
 * What a comparison with a fragment tells: nothing is missing where not all was given, and nothing is wrong with rules that
 * are not shown in full. What there is and should not be counts wherever it is. The rest is unverified.
 */
export function asFarAsKnown(comparison: Comparison, { language, wanted, fragment }: ComparedFragment): Comparison {
  const known = knownIn(fragment)
  const notThere = new Set(comparison.unverified.map(({ part }) => part))
  const unknown = [...wanted].filter(
    (id) => !notThere.has(tableOf(id)) && (!isCovered(id, language, known) || !known.showsAll(id)),
  )
  if (unknown.length === 0) return comparison
  return {
    ...comparison,
    findings: comparison.findings.filter((finding) => isSure(finding, language, known)),
    pairs: [],
    unverified: [...comparison.unverified, ...unverifiedParts(unknown)],
  }
}

/** The order of rules that were given one by one is not known either. */
function isSure({ place, kind }: Finding, language: Subsystem, known: Known): boolean {
  if (!known.showsAll(place)) return false
  if (isCovered(place, language, known) || kind === 'extra') return true
  // A rule is changed by itself; other things are compared as a whole, and lack what was not given.
  return kind === 'changed' && tableOf(place) !== ''
}

/** Whether all is known of a part, or of one that it belongs to. */
function isCovered(id: string, language: Subsystem, known: Known): boolean {
  const words = id.replace(/^(nftables \S+ \S+) element /, '$1 set ').split(' ')
  const belongsTo = words.map((_, index) => words.slice(0, index + 1).join(' '))
  return known.isWhole(language, id.split('/', 1)[0] ?? '', ...belongsTo)
}

/** Of a chain of iptables; empty for parts of languages that have no tables of that kind. */
function tableOf(id: string): string {
  return /^(?:raw|mangle|nat|filter|security)(?=\/)/.exec(id)?.[0] ?? ''
}

/** How many parts a line names. */
const NAMED = 3

/** One line for each table, or for a language without. */
function unverifiedParts(unknown: readonly string[]): readonly UnverifiedPart[] {
  const byPart = new Map<string, string[]>()
  for (const id of unknown) {
    const part = tableOf(id)
    const known = byPart.get(part)
    if (known === undefined) byPart.set(part, [id])
    else known.push(id)
  }
  return Array.from(byPart, ([part, ids]) => {
    const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : ''
    return { part, reason: `not all was given of ${ids.slice(0, NAMED).join(', ')}${more}` }
  })
}
