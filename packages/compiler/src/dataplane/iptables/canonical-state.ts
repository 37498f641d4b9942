import type { IpFamily } from '@kube-rules/types'
import type { ChainPolicy, IptablesState, Rule, Table, TableName } from './ast.js'
import { TABLE_NAMES } from './built-in-chains.js'
import { canonicalRule } from './canonical.js'
import { chainsOf, isInUse } from './chains.js'
import { printRule } from './print.js'

/** What the kernel keeps of a state: in which order the text created its chains is forgotten. */
export interface CanonicalState {
  readonly family: IpFamily
  /** In the order raw, mangle, nat, filter, security; tables that say nothing are left out. */
  readonly tables: ReadonlyMap<TableName, CanonicalTable>
}

export interface CanonicalTable {
  /** Of built-in chains whose policy is not ACCEPT, by chain. */
  readonly policies: ReadonlyMap<string, ChainPolicy['policy']>
  /** All chains in code-unit order, each with the normal forms of its rules in order. */
  readonly chains: ReadonlyMap<string, readonly Rule[]>
}

/** The normal form of a state: states that the kernel cannot tell apart have equal ones. */
export function canonicalState(state: IptablesState): CanonicalState {
  const tables = new Map<TableName, CanonicalTable>()
  for (const name of TABLE_NAMES) {
    const table = state.tables.find((candidate) => candidate.name === name)
    if (table !== undefined && isInUse(table)) tables.set(name, canonicalTable(table, state.family))
  }
  return { family: state.family, tables }
}

function canonicalTable(table: Table, family: IpFamily): CanonicalTable {
  const policies = [...(table.policies ?? [])].sort((a, b) => compare(a.chain, b.chain))
  const chains = [...chainsOf(table)].sort(([a], [b]) => compare(a, b))
  return {
    policies: new Map(policies.map(({ chain, policy }) => [chain, policy])),
    chains: new Map(chains.map(([name, rules]) => [name, rules.map((rule) => canonicalRule(rule, family))])),
  }
}

/** The order of names that are all different. */
function compare(a: string, b: string): number {
  return a < b ? -1 : 1
}

/** Whether the kernel cannot tell the two states apart. */
export function sameState(a: IptablesState, b: IptablesState): boolean {
  const left = canonicalState(a)
  const right = canonicalState(b)
  return left.family === right.family && sameMaps(left.tables, right.tables, (x, y) => sameTable(x, y, a.family))
}

function sameTable(a: CanonicalTable, b: CanonicalTable, family: IpFamily): boolean {
  const samePolicies = sameMaps(a.policies, b.policies, (x, y) => x === y)
  return samePolicies && sameMaps(a.chains, b.chains, (x, y) => sameRules(x, y, family))
}

function sameRules(a: readonly Rule[], b: readonly Rule[], family: IpFamily): boolean {
  return a.length === b.length && a.every((rule, index) => sameRule(rule, b[index], family))
}

function sameRule(a: Rule, b: Rule | undefined, family: IpFamily): boolean {
  return a === b || (b !== undefined && printRule(a, 'save', family) === printRule(b, 'save', family))
}

function sameMaps<K, V>(a: ReadonlyMap<K, V>, b: ReadonlyMap<K, V>, same: (x: V, y: V) => boolean): boolean {
  if (a.size !== b.size) return false
  for (const [key, value] of a) {
    const other = b.get(key)
    if (other === undefined || !same(value, other)) return false
  }
  return true
}
