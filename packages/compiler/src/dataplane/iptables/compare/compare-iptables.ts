import { createLazyGetter } from '../../../internal/memo.js'
import { EMPTY_COMPARISON, joinComparisons, type StateComparison } from '../../comparison.js'
import type { IptablesState, Rule, Table } from '../ast.js'
import { BUILT_IN_CHAINS, isBuiltInChain } from '../built-in-chains.js'
import { jumpTargetOf } from '../chains.js'
import { findOwnedChains, formatChainId } from '../resources.js'
import { compareChain, compareJumps } from './compare-chain.js'
import { reportStaleChain } from './drift-items.js'
import { combineMovedRules } from './moved-rules.js'
import {
  type ActualChains,
  actualChainsOf,
  actualOwnersOf,
  expectedChainsOf,
  type IptablesOwnership,
  type TablePair,
} from './table-pair.js'

/**
 * Compares the expected tables with the actual ones; other tables are ignored. Rules are equal if they are equivalent
 * for the kernel, and the order of owners in shared chains is ignored.
 */
export function compareIptables(
  expected: IptablesState,
  live: IptablesState,
  ownership: IptablesOwnership,
): StateComparison {
  const attributed = createLazyGetter(() => ownership.attribute?.(live) ?? live)
  return joinComparisons(
    expected.tables.map((table) => {
      const liveTable = tableOf(live, table) ?? (ownership.isComplete ? emptyTable(table) : undefined)
      if (liveTable === undefined) return tableUnverified(table)
      return compareTable({
        expected: table,
        live: liveTable,
        family: expected.family,
        ownership,
        ownedChains: createLazyGetter(() => findOwnedChains(table)),
        actualOwners: createLazyGetter(() => actualOwnersOf(tableOf(attributed(), table))),
      })
    }),
  )
}

function tableOf({ tables }: IptablesState, { name }: Table): Table | undefined {
  return tables.find((table) => table.name === name)
}

function emptyTable({ name }: Table): Table {
  return { name, jumps: [], blocks: [] }
}

function tableUnverified({ name }: Table): StateComparison {
  return { ...EMPTY_COMPARISON, unverified: [{ part: name, reason: `the dump has no table ${name}` }] }
}

function compareTable(pair: TablePair): StateComparison {
  const { name } = pair.expected
  const live = actualChainsOf(pair.live)
  const expected = new Set<string>()
  const parts: StateComparison[] = []
  for (const chain of expectedChainsOf(pair)) {
    expected.add(chain.name)
    const comparison = compareChain(pair, chain, live.rulesOf(chain.name))
    if (comparison !== EMPTY_COMPARISON) parts.push(comparison)
  }
  const unwanted = [...live.names].filter((chain) => !expected.has(chain) && !isBuiltInChain(name, chain))
  const isLookalike = (id: string) => pair.ownership.isLookalike?.(id) ?? false
  const comparison = joinComparisons([
    ...parts,
    ...BUILT_IN_CHAINS[name].map((chain) => compareJumps(pair, chain, expected)),
    ...staleChains(pair, unwanted, live),
    { ...EMPTY_COMPARISON, others: unwanted.map((chain) => formatChainId(name, chain)).filter(isLookalike) },
  ])
  return { ...comparison, driftItems: combineMovedRules(comparison.driftItems, pair.ownership) }
}

/** Reports unexpected chains of kube-proxy. A chain with a jump from a foreign rule cannot be removed. */
function staleChains(pair: TablePair, unwanted: readonly string[], live: ActualChains): readonly StateComparison[] {
  const isOwned = (chain: string) => pair.ownership.isOwned(formatChainId(pair.expected.name, chain))
  const stale = unwanted.filter(isOwned)
  if (stale.length === 0) return []
  const liveRules = (chain: string) => live.rulesOf(chain) ?? []
  const holders = holdersOf(unwanted.filter((chain) => !isOwned(chain)).flatMap(liveRules))
  return stale.map((chain) => reportStaleChain(pair, chain, liveRules(chain), holders.get(chain)))
}

/** Returns for each referenced chain the chain of one referring rule. */
function holdersOf(rules: readonly Rule[]): ReadonlyMap<string, string> {
  return new Map(
    rules.flatMap((rule) => {
      const to = jumpTargetOf(rule)
      return to === undefined ? [] : [[to, rule.chain] as const]
    }),
  )
}
