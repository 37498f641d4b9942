import { createLazyGetter } from '../../../internal/memo.js'
import { type DriftItem, EMPTY_COMPARISON, mergeComparisons, type StateComparison } from '../../comparison.js'
import type { IptablesState, Rule, Table } from '../ast.js'
import { BUILT_IN_CHAINS, isBuiltInChain } from '../built-in-chains.js'
import { jumpTargetOf } from '../chains.js'
import { findOwnedChains, formatChainId, parseChainId } from '../resources.js'
import { compareChain, compareJumps } from './compare-chain.js'
import { reportStaleChain } from './drift-items.js'
import {
  type ActualChains,
  actualChainsOf,
  actualOwnersOf,
  expectedChainsOf,
  type IptablesOwnership,
  type TablePair,
} from './table-pair.js'

/**
 * Compares the expected tables with the actual tables. Ignores tables that are not expected. Rules that are equivalent
 * for the kernel are equal. The order of owners in shared chains is ignored.
 */
export function compareIptables(
  expected: IptablesState,
  actual: IptablesState,
  ownership: IptablesOwnership,
): StateComparison {
  const attributed = createLazyGetter(() => ownership.attribute?.(actual) ?? actual)
  return mergeComparisons(
    expected.tables.map((table) => {
      const actualTable = tableOf(actual, table) ?? (ownership.isComplete ? emptyTable(table) : undefined)
      if (actualTable === undefined) return tableUnverified(table)
      return compareTable({
        expected: table,
        actual: actualTable,
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
  const actual = actualChainsOf(pair.actual)
  const expected = new Set<string>()
  const parts: StateComparison[] = []
  for (const chain of expectedChainsOf(pair)) {
    expected.add(chain.name)
    const comparison = compareChain(pair, chain, actual.rulesOf(chain.name))
    if (comparison !== EMPTY_COMPARISON) parts.push(comparison)
  }
  const unwanted = [...actual.names].filter((chain) => !expected.has(chain) && !isBuiltInChain(name, chain))
  const isLookalike = (id: string) => pair.ownership.isLookalike?.(id) ?? false
  const comparison = mergeComparisons([
    ...parts,
    ...BUILT_IN_CHAINS[name].map((chain) => compareJumps(pair, chain, expected)),
    ...staleChains(pair, unwanted, actual),
    { ...EMPTY_COMPARISON, others: unwanted.map((chain) => formatChainId(name, chain)).filter(isLookalike) },
  ])
  return { ...comparison, driftItems: combineMovedRules(comparison.driftItems, pair.ownership) }
}

/** Reports unexpected kube-proxy chains. A chain with a jump from a foreign rule cannot be removed. */
function staleChains(pair: TablePair, unwanted: readonly string[], actual: ActualChains): readonly StateComparison[] {
  const isOwned = (chain: string) => pair.ownership.isOwned(formatChainId(pair.expected.name, chain))
  const stale = unwanted.filter(isOwned)
  if (stale.length === 0) return []
  const actualRules = (chain: string) => actual.rulesOf(chain) ?? []
  const holders = holdersOf(unwanted.filter((chain) => !isOwned(chain)).flatMap(actualRules))
  return stale.map((chain) => reportStaleChain(pair, chain, actualRules(chain), holders.get(chain)))
}

/** Returns a map from each jump target of the rules to a chain that contains a jump to this target. */
function holdersOf(rules: readonly Rule[]): ReadonlyMap<string, string> {
  return new Map(
    rules.flatMap((rule) => {
      const to = jumpTargetOf(rule)
      return to === undefined ? [] : [[to, rule.chain] as const]
    }),
  )
}

/**
 * Combines drift items of a table. A rule that is missing in one chain and extra in another chain becomes one moved
 * rule.
 */
export function combineMovedRules(
  findings: readonly DriftItem[],
  { reasonOf }: IptablesOwnership,
): readonly DriftItem[] {
  const extras = new Map<string, DriftItem[]>()
  for (const finding of findings) {
    if (finding.kind !== 'extra') continue
    const key = ruleKey(finding, finding.found)
    const existing = key === undefined ? undefined : extras.get(key)
    if (existing !== undefined) existing.push(finding)
    else if (key !== undefined) extras.set(key, [finding])
  }
  const moved = new Map<DriftItem, DriftItem>()
  for (const finding of findings) {
    const key = finding.kind === 'missing' ? ruleKey(finding, finding.expected) : undefined
    const from = key === undefined ? undefined : extras.get(key)?.shift()
    if (from !== undefined) moved.set(finding, from)
  }
  if (moved.size === 0) return findings
  const gone = new Set(moved.values())
  return findings.flatMap((finding) => {
    const from = moved.get(finding)
    if (from === undefined) return gone.has(finding) ? [] : [finding]
    const [expected, found] = [finding, from].map(
      ({ location }) => ({ kind: 'chain', ...parseChainId(location) }) as const,
    )
    const part = { ...finding.part, ...(from.part.kind === 'rule' && { found: from.part.found }) }
    return [
      { ...finding, part, kind: 'misplaced', found: from.found, reason: reasonOf('misplaced', { expected, found }) },
    ]
  })
}

/**
 * Returns a key that is the same for rules that differ only in their chains. Returns undefined if the drift item is not
 * about an individual rule.
 */
function ruleKey({ owner, part }: DriftItem, text = ''): string | undefined {
  return part.kind === 'rule' ? `${owner}\n${text.slice(`-A ${part.chain} `.length)}` : undefined
}
