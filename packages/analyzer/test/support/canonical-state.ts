import type { IptablesState, Rule, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import {
  BUILT_IN_CHAINS,
  isBuiltInChain,
  TABLE_NAMES,
} from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { canonicalizeRule } from '@kube-rules/compiler/internal/dataplane/iptables/canonical'
import { chainsOf, isTableInUse } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { valueAt } from '@kube-rules/compiler/internal/internal/known-items'

/**
 * Converts a state to normal form; states have equal normal forms if they are equivalent for the kernel. The creation
 * order of chains and the owners are dropped. Tables are in the order raw, mangle, nat, filter, security, without empty
 * tables. Each table has one block with its chains in code-unit order and normalized rules.
 */
export function canonicalizeState(state: IptablesState): IptablesState {
  const { family, tables } = state
  const found = TABLE_NAMES.flatMap((name) => tables.filter((table) => table.name === name && isTableInUse(table)))
  return { family, tables: found.map((table) => canonicalizeTable(table, family)) }
}

function canonicalizeTable(table: Table, family: IptablesState['family']): Table {
  const { name } = table
  const policies = [...(table.policies ?? [])].sort((a, b) => compare(a.chain, b.chain))
  const chains = chainsOf(table)
  const own = [...chains.keys()].filter((chain) => !isBuiltInChain(name, chain)).sort()
  const rulesOf = (names: readonly string[]): readonly Rule[] =>
    names.flatMap((chain) => valueAt(chains, chain).map((rule) => canonicalizeRule(rule, family)))
  return {
    name,
    ...(policies.length > 0 && { policies }),
    jumps: rulesOf(BUILT_IN_CHAINS[name]),
    blocks: own.length === 0 ? [] : [{ owner: '', chains: own, rules: rulesOf(own) }],
  }
}

/** Compares distinct names. */
function compare(a: string, b: string): number {
  return a < b ? -1 : 1
}
