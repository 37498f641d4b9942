import type { Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { isBuiltInChain } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { formatChainId } from '@kube-rules/compiler/internal/dataplane/iptables/resources'
import type { CoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import type { MissingContent } from '../../../program/program.js'

/** Returns a function from a chain of the table to its missing content. The result is undefined for a complete chain. */
export function createMissingContentLookup(
  { name, blocks, jumps }: Table,
  coverage: CoverageQueries,
): (chain: string) => MissingContent | undefined {
  const chainsWithRules = createLazyGetter(
    () => new Set([...jumps, ...blocks.flatMap(getBlockRules)].map(({ chain }) => chain)),
  )
  return (chain) => {
    const id = formatChainId(name, chain)
    if (!coverage.isComplete('iptables', name, id)) {
      if (chainsWithRules().has(chain)) return { what: 'some', reason: `not all of chain ${id} is in the dump` }
      const isOfOthers = isBuiltInChain(name, chain) || coverage.isOwned?.(id) === false
      return { what: isOfOthers ? 'some' : 'all', reason: `chain ${id} is missing in the dump` }
    }
    if (coverage.isUntruncated(id)) return undefined
    return { what: 'some', reason: `the listing of chain ${id} does not show all matches of its rules` }
  }
}
