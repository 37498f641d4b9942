import type { Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { isBuiltInChain } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { rulesIn } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { chainId } from '@kube-rules/compiler/internal/dataplane/iptables/resources'
import type { Known } from '@kube-rules/compiler/internal/dataplane/netfilter/fragment'

/** The missing content of a chain: `all`, so that its effect is unknown, or `some`, which may not matter. */
export interface MissingOfChain {
  readonly what: 'all' | 'some'
  readonly reason: string
}

/** Returns the missing content of each chain of a table; undefined for a complete chain. */
export function missingOfChains(table: Table, known: Known): (chain: string) => MissingOfChain | undefined {
  const { name, blocks, jumps } = table
  const given = new Set([...jumps, ...blocks.flatMap(rulesIn)].map(({ chain }) => chain))
  return (chain) => {
    const id = chainId(name, chain)
    if (!known.isWhole('iptables', name, id)) {
      if (given.has(chain)) return { what: 'some', reason: `not all of chain ${id} is in the dump` }
      const isOfOthers = isBuiltInChain(name, chain) || known.isOurs?.(id) === false
      return { what: isOfOthers ? 'some' : 'all', reason: `chain ${id} is missing in the dump` }
    }
    if (known.showsAll(id)) return undefined
    return { what: 'some', reason: `the listing of chain ${id} does not show all that its rules ask for` }
  }
}
