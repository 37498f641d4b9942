import type { TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { BUILT_IN_CHAINS } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import type { PastedBlock } from './pasted-block.js'
import {
  canContainRule,
  inferTableFromChain,
  inferTableFromNames,
  inferTableOfRule,
  type TableLookup,
} from './table-of-rule.js'

interface RulesByTable {
  /** The table of each rule, by index. */
  readonly rules: readonly TableName[]
  readonly chains: readonly TableName[]
  /** The assumed tables, which no line names. */
  readonly assumed: readonly TableName[]
}

/**
 * Determines the table of each rule from a heading. Without a conclusive heading, the table follows from the rule
 * itself, from rules of the same chain, or from the preceding rule, in this order.
 */
export function inferTables(block: PastedBlock, hint: TableLookup): RulesByTable {
  const { kind, table: stated, declared } = block
  const isSure = isSureOfTable(block)
  const inferred = block.rules.map(({ chain, words, afterGap }) => {
    if (stated === undefined || afterGap || !canContainRule(stated, chain, words))
      return inferTableOfRule(chain, words, hint)
    return isSure && (kind !== 'save' || declared.has(chain))
      ? stated
      : (inferTableFromNames(chain, words, hint) ?? stated)
  })
  const byChain = new Map<string, TableName>()
  block.rules.forEach(({ chain }, index) => {
    const table = inferred[index]
    if (table !== undefined && !byChain.has(chain)) byChain.set(chain, table)
  })
  const fallback = inferred.find((table) => table !== undefined) ?? (block.kind === 'listing' ? 'filter' : 'nat')
  let before: TableName = fallback
  const rules = block.rules.map(({ chain }, index) => {
    before = inferred[index] ?? byChain.get(chain) ?? before
    return before
  })
  const chains = block.chains.map(({ name, afterGap }) => {
    if (stated !== undefined && !afterGap && canContainRule(stated, name, [])) {
      return isSure ? stated : (inferTableFromNames(name, [], hint) ?? stated)
    }
    return byChain.get(name) ?? inferTableFromChain(name, hint) ?? fallback
  })
  return { rules, chains, assumed: [...rules, ...chains].filter((table) => table !== stated) }
}

/**
 * Reports whether the `*TABLE` line of a block applies to everything below it. `iptables-save` prints built-in chains
 * first. If they are missing, the output may come from a search, and the lines below may belong to another table.
 */
function isSureOfTable({ kind, table, declared }: PastedBlock): boolean {
  return kind !== 'save' || table === undefined || BUILT_IN_CHAINS[table].some((chain) => declared.has(chain))
}
