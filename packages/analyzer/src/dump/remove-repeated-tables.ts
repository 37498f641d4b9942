import type { IptablesState } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { isBuiltInChain } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { chainsOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import type { Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import type { Dump, NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { FAMILY_KEYWORDS } from '@kube-rules/compiler/internal/targets/nftables/statements'

/**
 * Removes the nft tables that repeat iptables tables of the dump. On a node with iptables-nft, `iptables-save` and `nft
 * list ruleset` print the same tables. Without this removal, a packet would traverse them twice.
 */
export function removeRepeatedTables(dump: Dump): Dump {
  return { IPv4: withoutRepeatedTables(dump.IPv4), IPv6: withoutRepeatedTables(dump.IPv6) }
}

function withoutRepeatedTables(state: NodeState): NodeState {
  const { family, iptables, nftables } = state
  if (iptables === undefined || nftables === undefined) return state
  const { header } = FAMILY_KEYWORDS[family]
  const tables = nftables.tables.filter((table) => table.family !== header || !repeats(table, iptables))
  return tables.length === nftables.tables.length ? state : { ...state, nftables: { ...nftables, tables } }
}

/**
 * Reports whether an nft table has the chains of the iptables table with its name, each with the same number of rules.
 * nft lists only those built-in chains that were used.
 */
function repeats({ name, chains }: Table, { tables }: IptablesState): boolean {
  const table = tables.find((each) => each.name === name)
  if (table === undefined) return false
  const counts = new Map(chains.map((chain) => [chain.name, chain.rules.length]))
  const own = chainsOf(table)
  return (
    chains.every((chain) => own.has(chain.name)) &&
    [...own].every(([chain, rules]) => {
      const count = counts.get(chain)
      return count === rules.length || (count === undefined && rules.length === 0 && isBuiltInChain(table.name, chain))
    })
  )
}
