import type { IpFamily } from '@kube-rules/types'
import type { IptablesBackend } from '../../tool-options.js'
import type { IptablesState, Table, TableName } from '../ast.js'
import { isBuiltInChain } from '../built-in-chains.js'
import { chainsOf, isTableInUse } from '../chains.js'
import { checkPlainWord } from '../quote.js'
import { printRuleLines } from './print.js'

/** The table order of iptables-nft-save. */
const NFT_TABLE_ORDER: readonly TableName[] = ['mangle', 'security', 'raw', 'filter', 'nat']

/**
 * Prints a state like iptables-save (1.8) after the state is loaded into an empty system, without the `#` lines. In
 * each table, built-in chains with their policies come first, then custom chains sorted by name, then the rules in
 * chain order. The backend determines the tables: `legacy` prints all tables, including empty tables, in reverse order
 * of `state.tables`; `nft` prints the tables in use, in a fixed order. Throws in the same cases as `printRestore`.
 */
export function printSave(state: IptablesState, options: { readonly backend: IptablesBackend }): string {
  return selectSavedTables(state, options.backend)
    .map((table) => printTable(table, state.family))
    .join('')
}

/** Returns the printed tables in print order. */
export function selectSavedTables(state: IptablesState, backend: IptablesBackend): readonly Table[] {
  if (backend === 'legacy') return [...state.tables].reverse()
  return NFT_TABLE_ORDER.flatMap((name) => state.tables.filter((table) => table.name === name && isTableInUse(table)))
}

function printTable(table: Table, family: IpFamily): string {
  const chains = sortChainsAsSaved(chainsOf(table), table.name)
  let lines = ''
  for (const [name] of chains) lines += `${formatSavedChain(table, name)}\n`
  const rules = chains.map(([, chainRules]) => printRuleLines(chainRules, 'save', family)).join('')
  return `*${table.name}\n${lines}${rules}COMMIT\n`
}

/** Sorts chains: built-in chains first, in their order, then custom chains by name. */
export function sortChainsAsSaved<Rules>(
  chains: ReadonlyMap<string, Rules>,
  table: TableName,
): readonly (readonly [name: string, rules: Rules])[] {
  const builtIn = [...chains].filter(([name]) => isBuiltInChain(table, name))
  const others = [...chains].filter(([name]) => !isBuiltInChain(table, name))
  return [...builtIn, ...others.sort(([a], [b]) => (a < b ? -1 : 1))]
}

/** Formats the line that declares a chain. */
export function formatSavedChain(table: Table, name: string): string {
  return `:${checkPlainWord(name)} ${chainPolicyOf(table, name)} [0:0]`
}

/** Returns the policy of a built-in chain. Returns `-` for any other chain. */
export function chainPolicyOf(table: Table, chain: string): string {
  if (!isBuiltInChain(table.name, chain)) return '-'
  return table.policies?.find((policy) => policy.chain === chain)?.policy ?? 'ACCEPT'
}
