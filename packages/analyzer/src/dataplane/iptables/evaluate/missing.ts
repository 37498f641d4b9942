import type { Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { isBuiltInChain } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { formatChainId } from '@kube-rules/compiler/internal/dataplane/iptables/resources'
import type { CoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'

/**
 * The extent of the missing content of a chain. With `all`, the effect of the chain is unknown. With `some`, the
 * missing rules may have no effect.
 */
export interface MissingChainContent {
  readonly what: 'all' | 'some'
  readonly reason: string
}

/** Returns a function from a chain of the table to its missing content. The result is undefined for a complete chain. */
export function createMissingContentLookup(
  table: Table,
  known: CoverageQueries,
): (chain: string) => MissingChainContent | undefined {
  const { name, blocks, jumps } = table
  const existingChains = new Set([...jumps, ...blocks.flatMap(getBlockRules)].map(({ chain }) => chain))
  return (chain) => {
    const id = formatChainId(name, chain)
    if (!known.isComplete('iptables', name, id)) {
      if (existingChains.has(chain)) return { what: 'some', reason: `not all of chain ${id} is in the dump` }
      const isOfOthers = isBuiltInChain(name, chain) || known.isOwned?.(id) === false
      return { what: isOfOthers ? 'some' : 'all', reason: `chain ${id} is missing in the dump` }
    }
    if (known.isUntruncated(id)) return undefined
    return { what: 'some', reason: `the listing of chain ${id} does not show all matches of its rules` }
  }
}
