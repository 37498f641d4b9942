import type { CoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import type { Rule, Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { setsOfRule } from '@kube-rules/compiler/internal/dataplane/nftables/references'
import { formatChainId, formatSetId, formatTableId } from '@kube-rules/compiler/internal/dataplane/nftables/resources'

/** The reasons why chains and sets of a table are incomplete in the dump; undefined for a complete chain or set. */
export interface MissingTableContent {
  missingPartOfChain(chain: string): string | undefined
  /** Returns the reason why a set or map that the rule looks up is incomplete; undefined if all are complete. */
  missingPartOfRule(rule: Rule): string | undefined
}

export function findMissingTableContent(table: Table, known: CoverageQueries): MissingTableContent {
  const isWhole = (id: string) => known.isComplete('nftables', formatTableId(table), id)
  const chains = new Set(table.chains.map(({ name }) => name))
  const sets = new Set(table.sets.map(({ name }) => name))
  return {
    missingPartOfChain: (chain) => {
      if (isWhole(formatChainId(table, chain))) return undefined
      return chains.has(chain) ? `not all of chain ${chain} is in the dump` : `chain ${chain} is missing in the dump`
    },
    missingPartOfRule: (rule) => {
      const set = setsOfRule(rule).find((name) => !isWhole(formatSetId(table, name)))
      if (set === undefined) return undefined
      return sets.has(set) ? `not all of ${set} is in the dump` : `${set} is missing in the dump`
    },
  }
}
