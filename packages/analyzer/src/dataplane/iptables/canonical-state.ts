import type { IptablesState, Rule, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import {
  BUILT_IN_CHAINS,
  isBuiltInChain,
  TABLE_NAMES,
} from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { canonicalRule } from '@kube-rules/compiler/internal/dataplane/iptables/canonical'
import { chainsOf, isInUse } from '@kube-rules/compiler/internal/dataplane/iptables/chains'

/**
 * The normal form of a state: states that the kernel cannot tell apart have equal ones. In which order the text created its
 * chains is forgotten, and so are owners: tables stand in the order raw, mangle, nat, filter, security, without those that
 * say nothing; each has one block with its chains in code-unit order, and the normal forms of their rules.
 */
export function canonicalState({ family, tables }: IptablesState): IptablesState {
  const found = TABLE_NAMES.flatMap((name) => tables.filter((table) => table.name === name && isInUse(table)))
  return { family, tables: found.map((table) => canonicalTable(table, family)) }
}

function canonicalTable(table: Table, family: IptablesState['family']): Table {
  const { name } = table
  const policies = [...(table.policies ?? [])].sort((a, b) => compare(a.chain, b.chain))
  const chains = chainsOf(table)
  const own = [...chains.keys()].filter((chain) => !isBuiltInChain(name, chain)).sort()
  const rulesOf = (names: readonly string[]): readonly Rule[] =>
    names.flatMap((chain) => (chains.get(chain) as readonly Rule[]).map((rule) => canonicalRule(rule, family)))
  return {
    name,
    ...(policies.length > 0 && { policies }),
    jumps: rulesOf(BUILT_IN_CHAINS[name]),
    blocks: own.length === 0 ? [] : [{ owner: '', chains: own, rules: rulesOf(own) }],
  }
}

/** The order of names that are all different. */
function compare(a: string, b: string): number {
  return a < b ? -1 : 1
}
