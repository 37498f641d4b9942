import type { IpFamily } from '@kube-rules/types'
import type { Backend, PrintOptions } from '../../tool-options.js'
import type { IptablesState, Table, TableName } from '../ast.js'
import { isBuiltInChain } from '../built-in-chains.js'
import { chainsOf, isInUse } from '../chains.js'
import { plainWord } from '../quote.js'
import { printRuleLines } from './print.js'

/** The order in which iptables-nft-save prints the tables. */
const NFT_TABLE_ORDER: readonly TableName[] = ['mangle', 'security', 'raw', 'filter', 'nat']

/**
 * What iptables-save (1.8) prints after the state was loaded into an empty machine, table by table in the order of
 * `state.tables`, without the `#` lines: built-in chains with their policy, the other chains sorted, then the rules in
 * the order of the chains. `legacy` prints the table used last first, and also tables that hold nothing; `nft` has an
 * order of its own. Throws where `printRestore` does.
 */
export function printSave(state: IptablesState, { backend }: Pick<PrintOptions, 'backend'>): string {
  return savedTables(state, backend)
    .map((table) => printTable(table, state.family))
    .join('')
}

/** The tables that it prints, in its order. */
export function savedTables(state: IptablesState, backend: Backend): readonly Table[] {
  if (backend === 'legacy') return [...state.tables].reverse()
  return NFT_TABLE_ORDER.flatMap((name) => state.tables.filter((table) => table.name === name && isInUse(table)))
}

function printTable(table: Table, family: IpFamily): string {
  const chains = inSaveOrder(chainsOf(table), table.name)
  let lines = ''
  for (const [name] of chains) lines += `${savedChain(table, name)}\n`
  const rules = chains.map(([, chainRules]) => printRuleLines(chainRules, 'save', family)).join('')
  return `*${table.name}\n${lines}${rules}COMMIT\n`
}

/** Built-in chains first, then the others sorted. */
export function inSaveOrder<Rules>(
  chains: ReadonlyMap<string, Rules>,
  table: TableName,
): readonly (readonly [name: string, rules: Rules])[] {
  const builtIn = [...chains].filter(([name]) => isBuiltInChain(table, name))
  const others = [...chains].filter(([name]) => !isBuiltInChain(table, name))
  return [...builtIn, ...others.sort(([a], [b]) => (a < b ? -1 : 1))]
}

/** The line that says that a chain is there. */
export function savedChain(table: Table, name: string): string {
  return `:${plainWord(name)} ${policyOf(table, name)} [0:0]`
}

function policyOf(table: Table, chain: string): string {
  if (!isBuiltInChain(table.name, chain)) return '-'
  return table.policies?.find((policy) => policy.chain === chain)?.policy ?? 'ACCEPT'
}
