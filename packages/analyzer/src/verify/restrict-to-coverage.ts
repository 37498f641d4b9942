import type { DriftItem, StateComparison, UnverifiedPart } from '@kube-rules/compiler/internal/dataplane/comparison'
import {
  type CoverageQueries,
  createCoverageQueries,
  type StateCoverage,
} from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import type { Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { groupItems } from '@kube-rules/compiler/internal/internal/group-items'

/** The compiled resources of a subsystem, and the parts that the dump covers. */
export interface ComparisonScope {
  readonly subsystem: Subsystem
  /** The ids of the compiled resources. */
  readonly expected: Iterable<string>
  readonly coverage: StateCoverage
}

/**
 * Restricts a comparison to the parts of the node that a fragment of a dump shows. A missing resource is drift only if
 * its table or set is dumped completely. A modified rule is drift only if the dump shows the whole rule. A superfluous
 * resource is always drift. All other resources are unverified.
 */
export function restrictToCoverage(
  comparison: StateComparison,
  { subsystem, expected, coverage }: ComparisonScope,
): StateComparison {
  if (subsystem === 'iptables' && coverage.isListedByNft) return withoutComparison(comparison, expected)
  const queries = createCoverageQueries(coverage)
  const notThere = new Set(comparison.unverified.map(({ part }) => part))
  const unverifiedIds = [...expected].filter(
    (id) => !notThere.has(tableOf(id)) && (!isCovered(id, subsystem, queries) || !queries.isUntruncated(id)),
  )
  if (unverifiedIds.length === 0) return comparison
  return {
    ...comparison,
    driftItems: comparison.driftItems.filter((finding) => isSure(finding, subsystem, queries)),
    pairs: [],
    unverified: [...comparison.unverified, ...unverifiedParts(unverifiedIds)],
  }
}

/** Returns a comparison without drift, with all tables unverified. */
function withoutComparison(comparison: StateComparison, expected: Iterable<string>): StateComparison {
  const reason = 'nft lists the rules without their comments; iptables-save prints them'
  const tables = groupItems([...expected], tableOf).keys()
  return { ...comparison, driftItems: [], pairs: [], unverified: Array.from(tables, (part) => ({ part, reason })) }
}

/**
 * Reports whether a drift item is certain although the dump is partial. If rules were dumped one by one, their order is
 * unknown, so a misplaced rule is uncertain.
 */
function isSure({ location, part, kind }: DriftItem, subsystem: Subsystem, known: CoverageQueries): boolean {
  if (!known.isUntruncated(containerOf(location))) return false
  if (isCovered(location, subsystem, known) || kind === 'extra') return true
  // A changed rule of an iptables chain is always a real difference. Other changed resources are compared as a whole,
  // and may differ only because the dump is partial.
  return kind === 'changed' && part.kind === 'rule'
}

/** Returns the id of the set with an element of nftables; any other id is returned unchanged. */
function containerOf(id: string): string {
  return id.replace(/^(nftables \S+ \S+) element (\S+).*/, '$1 set $2')
}

/** Reports whether the dump is complete for the resource with this id, or for one of its containers, such as the table. */
function isCovered(id: string, subsystem: Subsystem, known: CoverageQueries): boolean {
  const words = id.replace(/^(nftables \S+ \S+) element /, '$1 set ').split(' ')
  const belongsTo = words.map((_, index) => words.slice(0, index + 1).join(' '))
  return known.isComplete(subsystem, id.split('/', 1)[0] ?? '', ...belongsTo)
}

/** Returns the table in the id of an iptables chain; empty for any other id. */
function tableOf(id: string): string {
  return /^(?:raw|mangle|nat|filter|security)(?=\/)/.exec(id)?.[0] ?? ''
}

/** The maximum number of resource ids that are listed on a line. */
const NAMED = 3

/** Groups unverified resource ids into one item per iptables table, or one item for a subsystem without tables. */
function unverifiedParts(unknown: readonly string[]): readonly UnverifiedPart[] {
  return Array.from(groupItems(unknown, tableOf), ([part, ids]) => {
    const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : ''
    return { part, reason: `the dump is incomplete for ${ids.slice(0, NAMED).join(', ')}${more}` }
  })
}
