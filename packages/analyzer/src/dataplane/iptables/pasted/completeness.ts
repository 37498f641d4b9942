import type { Rule, TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { BUILT_IN_CHAINS, isBuiltInChain } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { jumpTargetOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import type { IpFamily } from '@kube-rules/types'
import type { TableFragment } from './merge-table.js'
import type { PastedBlock } from './pasted-block.js'

/**
 * Reports whether a block has all chains of its table. If a rule jumps to a chain outside the block, some chains are
 * missing.
 */
export function isCompleteTable(
  block: PastedBlock,
  table: TableName,
  chains: PastedBlock['chains'],
  rules: ReadonlyMap<string, readonly Rule[]>,
): boolean {
  const { command } = block
  if (block.hasGap || block.table === undefined || command?.chain !== undefined || command?.filter !== undefined)
    return false
  if (block.kind === 'listing' || (block.kind === 'save' ? !block.isClosed : command === undefined)) return false
  return hasAllChains(table, new Set(chains.map(({ name }) => name)), rules)
}

function hasAllChains(
  table: TableName,
  declared: ReadonlySet<string>,
  rules: ReadonlyMap<string, readonly Rule[]>,
): boolean {
  const jumpTargets = [...rules.values()].flat().flatMap((rule) => jumpTargetOf(rule) ?? [])
  return [
    ...BUILT_IN_CHAINS[table].filter((chain) => chain !== 'INPUT' || table !== 'nat'),
    ...rules.keys(),
    ...jumpTargets,
  ].every((chain) => declared.has(chain))
}

/**
 * Reports whether a block that may be incomplete contains all rules of a chain. The output of a search (`grep`) also
 * counts: if it contains the declaration of a chain, it contains each rule of the chain.
 */
export function isCompleteChain(
  { kind, command, hasHeading, isClosed, hasGap, current }: PastedBlock,
  table: TableName,
  {
    chain,
    isDeclared,
    ruleCount,
  }: { readonly chain: string; readonly isDeclared: boolean; readonly ruleCount: number },
): boolean {
  if (command?.filter === 'cut') return false
  if (kind === 'listing') return command?.filter === undefined && hasHeading && isClosed
  if (!isDeclared) return false
  // A search for `^:` finds only declarations, so the rules of the chain may be missing.
  if (ruleCount === 0 && (command === undefined ? kind === 'rules' : command.filter !== undefined)) return false
  // The missing text may have contained rules of the chain.
  if (hasGap && ruleCount === 0) return false
  if (kind === 'save' && !isClosed && (ruleCount === 0 || current === chain)) return false
  if (!isBuiltInChain(table, chain)) return true
  return command === undefined ? kind === 'save' : command.filter === undefined
}

/**
 * Reports whether lines are missing in an output, although no line marks the omission. `iptables-save` and `iptables -S`
 * declare a chain before its rules, and `iptables-save` also declares every chain that rules jump to.
 */
export function hasUnmarkedGaps(
  { kind, hasGap, isTorn, command }: PastedBlock,
  table: TableName,
  chains: PastedBlock['chains'],
  rules: ReadonlyMap<string, readonly Rule[]>,
): boolean {
  if (isTorn) return true
  if (kind === 'listing' || hasGap || command?.filter !== undefined || chains.length === 0) return false
  if (kind === 'save' && lacksBuiltInChains(table, new Set(chains.map(({ name }) => name)))) return true
  const declared = new Set([...BUILT_IN_CHAINS[table], ...chains.map(({ name }) => name)])
  const named = [...rules].flatMap(([chain, own]) =>
    own.length === 0 ? [] : [chain, ...(kind === 'save' ? own.flatMap((rule) => jumpTargetOf(rule) ?? []) : [])],
  )
  return named.some((chain) => !declared.has(chain))
}

/** Reports whether a table has chains of kube-proxy and some, but not all of the built-in chains that jump to them. */
function lacksBuiltInChains(table: string, declared: ReadonlySet<string>): boolean {
  if ((table !== 'nat' && table !== 'filter') || ![...declared].some((chain) => chain.startsWith('KUBE-'))) return false
  const builtIn = BUILT_IN_CHAINS[table].filter((chain) => !(table === 'nat' && chain === 'INPUT'))
  return builtIn.some((chain) => declared.has(chain)) && !builtIn.every((chain) => declared.has(chain))
}

/** Returns the tables with a complete list of chains, each with its family: `IPv4 nat`. */
export function findFullyListedTables(
  blocks: readonly PastedBlock[],
  fragments: readonly TableFragment[],
): readonly string[] {
  const listings = blocks.filter(
    ({ kind, command, table }) =>
      kind === 'listing' &&
      table !== undefined &&
      command !== undefined &&
      command.chain === undefined &&
      command.filter === undefined,
  )
  const ids = new Set(listings.map(({ family, table }) => `${family} ${table}`))
  return [...ids].filter((id) => {
    const own = listings.filter(({ family, table }) => `${family} ${table}` === id)
    if (own.some(({ hasGap, incompleteChains }) => hasGap || incompleteChains.size > 0)) return false
    const [family, table] = id.split(' ') as [IpFamily, TableName]
    const chains = fragments
      .filter((each) => each.family === family && each.name === table)
      .flatMap(({ chains }) => chains)
    if (chains.some(({ isWhole }) => !isWhole)) return false
    return hasAllChains(
      table,
      new Set(chains.map(({ name }) => name)),
      new Map(chains.map(({ name, rules }) => [name, rules])),
    )
  })
}
