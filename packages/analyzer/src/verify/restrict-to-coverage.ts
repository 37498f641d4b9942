import type { DriftItem, StateComparison, UnverifiedPart } from '@kube-rules/compiler/internal/dataplane/comparison'
import {
  type CoverageQueries,
  createCoverageQueries,
  type StateCoverage,
} from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import type { Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'

/** The inputs of a comparison. */
export interface ComparisonScope {
  readonly subsystem: Subsystem
  /** The ids of the compiled resources. */
  readonly expected: Iterable<string>
  readonly coverage: StateCoverage
}

/**
 * Restricts a comparison to the known part of a fragment. Missing resources are drift only in complete parts. Modified
 * rules are drift only if the dump shows the whole rule. Superfluous resources are always drift. All other content is
 * unverified.
 */
export function restrictToCoverage(
  comparison: StateComparison,
  { subsystem, expected, coverage }: ComparisonScope,
): StateComparison {
  const queries = createCoverageQueries(coverage)
  const notThere = new Set(comparison.unverified.map(({ part }) => part))
  const unknown = [...expected].filter(
    (id) => !notThere.has(tableOf(id)) && (!isCovered(id, subsystem, queries) || !queries.isUntruncated(id)),
  )
  if (unknown.length === 0) return comparison
  return {
    ...comparison,
    driftItems: comparison.driftItems.filter((finding) => isSure(finding, subsystem, queries)),
    pairs: [],
    unverified: [...comparison.unverified, ...unverifiedParts(unknown)],
  }
}

/** Reports whether a drift item is certain. The order of rules is unknown if the rules were dumped one by one. */
function isSure({ location, kind }: DriftItem, subsystem: Subsystem, known: CoverageQueries): boolean {
  if (!known.isUntruncated(location)) return false
  if (isCovered(location, subsystem, known) || kind === 'extra') return true
  // A changed rule of an iptables chain is always a real difference. Other changed resources are compared as a whole,
  // and may differ only because the dump is partial.
  return kind === 'changed' && tableOf(location) !== ''
}

/** Reports whether the dump is complete for a part or for one of the containers of this part. */
function isCovered(id: string, subsystem: Subsystem, known: CoverageQueries): boolean {
  const words = id.replace(/^(nftables \S+ \S+) element /, '$1 set ').split(' ')
  const belongsTo = words.map((_, index) => words.slice(0, index + 1).join(' '))
  return known.isComplete(subsystem, id.split('/', 1)[0] ?? '', ...belongsTo)
}

/** Returns the table of an iptables chain; empty for parts of subsystems without such tables. */
function tableOf(id: string): string {
  return /^(?:raw|mangle|nat|filter|security)(?=\/)/.exec(id)?.[0] ?? ''
}

/** Maximum number of parts listed on a line. */
const NAMED = 3

/** Returns one line per table, or per subsystem without tables. */
function unverifiedParts(unknown: readonly string[]): readonly UnverifiedPart[] {
  const byPart = new Map<string, string[]>()
  for (const id of unknown) {
    const part = tableOf(id)
    const existing = byPart.get(part)
    if (existing === undefined) byPart.set(part, [id])
    else existing.push(id)
  }
  return Array.from(byPart, ([part, ids]) => {
    const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : ''
    return { part, reason: `the dump is incomplete for ${ids.slice(0, NAMED).join(', ')}${more}` }
  })
}
