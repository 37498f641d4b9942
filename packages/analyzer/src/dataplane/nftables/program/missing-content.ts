import type { CoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import type { Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { formatChainId, formatSetId, formatTableId } from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'

/** The reasons why chains and sets of a table are incomplete in the dump; undefined for a complete chain or set. */
export interface MissingTableContent {
  readonly missingPartOfChain: (chain: string) => string | undefined
  /** Returns the reason why one of these sets is incomplete; undefined if all are complete. */
  readonly missingPartOfSets: (sets: readonly string[]) => string | undefined
}

const NOTHING_MISSING: MissingTableContent = {
  missingPartOfChain: () => undefined,
  missingPartOfSets: () => undefined,
}

export function findMissingContent(table: Table, coverage: CoverageQueries | undefined): MissingTableContent {
  if (coverage === undefined) return NOTHING_MISSING
  const isWhole = (id: string) => coverage.isComplete('nftables', formatTableId(table), id)
  const chains = createLazyGetter(() => new Set(table.chains.map(({ name }) => name)))
  const sets = createLazyGetter(() => new Set(table.sets.map(({ name }) => name)))
  return {
    missingPartOfChain: (chain) => {
      if (isWhole(formatChainId(table, chain))) return undefined
      return chains().has(chain) ? `not all of chain ${chain} is in the dump` : `chain ${chain} is missing in the dump`
    },
    missingPartOfSets: (names) => {
      const set = names.find((name) => !isWhole(formatSetId(table, name)))
      if (set === undefined) return undefined
      return sets().has(set) ? `not all of ${set} is in the dump` : `${set} is missing in the dump`
    },
  }
}
