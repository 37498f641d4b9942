import { valueAt } from '../../../internal/known-items.js'
import { backingListOf } from '../../../internal/lazy-array.js'
import { diffLists } from '../../../patch/diff-lists.js'
import { diffPairs, pairResources, type ResourcePair } from '../../../patch/diff-resources.js'
import { type Change, diffReferences, type EditChange } from '../../../patch/patch.js'
import { indexResourcesById, type Resource } from '../../../patch/resource.js'
import type { Splice } from '../../../patch/splice.js'
import type { Rule, RuleBlock, Table, TableName } from '../ast.js'
import { type BlockRules, countSharedRules, type RulesByChain, splitBlockRules } from '../block-rules.js'
import { BUILT_IN_CHAINS } from '../built-in-chains.js'
import { chainsOf } from '../chains.js'
import {
  chainReferencesOf,
  createChainResource,
  createJumpsResource,
  findOwnedChains,
  findSharedChains,
  formatChainId,
  listTableResources,
} from '../resources.js'
import { alignBlocks, type BlockPair } from './align-blocks.js'

export interface TableDiff {
  /** The changes, unordered. */
  readonly changes: readonly Change[]
  /** The blocks that differ between the tables. Undefined if the tables could not be compared block by block. */
  readonly pairs: readonly BlockPair[] | undefined
}

/** A pair of blocks with the rules of both blocks split by chain. */
interface OpenPair {
  readonly at: number
  readonly before: BlockRules
  readonly after: BlockRules
}

/**
 * Returns the changes from one table to another table with the same name. Reads only blocks that are not the identical
 * object in both tables.
 */
export function diffTable(before: Table, after: Table): TableDiff {
  if (before === after) return { changes: [], pairs: [] }
  const pairs = alignBlocks(backingListOf(before, 'blocks'), backingListOf(after, 'blocks'))
  const sharing = pairs && sharingOf(before, after, pairs)
  if (pairs === undefined || sharing === undefined) {
    return {
      changes: diffPairs(
        pairResources(indexResourcesById(listTableResources(before)), indexResourcesById(listTableResources(after))),
      ),
      pairs,
    }
  }
  const open = pairs.map((pair) => ({
    at: pair.at,
    before: splitBlockRules(pair.before),
    after: splitBlockRules(pair.after),
  }))
  const resources = [
    ...ownPairs(before.name, open),
    ...sharedPairs(before, after, sharing),
    ...jumpPairs(before, after),
  ]
  return { changes: [...diffPairs(resources), ...sharedEdits(before, open, sharing)], pairs }
}

/** The names of the shared chains that only the old table or only the new table has. */
interface Sharing {
  readonly onlyBefore: ReadonlySet<string>
  readonly onlyAfter: ReadonlySet<string>
}

const ALL_IN_BOTH: Sharing = { onlyBefore: new Set(), onlyAfter: new Set() }

/** Compares the shared chains of two tables. Returns undefined if a chain is shared in one table and owned in the other. */
function sharingOf(before: Table, after: Table, pairs: readonly BlockPair[]): Sharing | undefined {
  if (before.jumps === after.jumps && !pairs.some(isFixed)) return ALL_IN_BOTH
  const left = findSharedChains(before)
  const right = findSharedChains(after)
  const onlyBefore = new Set([...left].filter((chain) => !right.has(chain)))
  const onlyAfter = new Set([...right].filter((chain) => !left.has(chain)))
  return isOwnedIn(after, onlyBefore) || isOwnedIn(before, onlyAfter) ? undefined : { onlyBefore, onlyAfter }
}

function isFixed({ before, after }: BlockPair): boolean {
  return (before ?? after)?.owner === ''
}

function isOwnedIn(table: Table, chains: ReadonlySet<string>): boolean {
  if (chains.size === 0) return false
  const owned = findOwnedChains(table)
  return [...chains].some((chain) => owned.has(chain))
}

/** Pairs the owned chains by name, even if their owners differ. */
function ownPairs(table: TableName, pairs: readonly OpenPair[]): readonly ResourcePair[] {
  const before = new Map(pairs.flatMap((pair) => [...pair.before.own]))
  const after = new Map(pairs.flatMap((pair) => [...pair.after.own]))
  const chains = new Set([...after.keys(), ...before.keys()])
  return Array.from(chains, (chain) => ({
    before: resourceOf(table, chain, before),
    after: resourceOf(table, chain, after),
  }))
}

function resourceOf(table: TableName, chain: string, chains: RulesByChain): Resource | undefined {
  const rules = chains.get(chain)
  return rules && createChainResource(table, chain, rules)
}

function sharedPairs(before: Table, after: Table, { onlyBefore, onlyAfter }: Sharing): readonly ResourcePair[] {
  return [
    ...resourcesNamed(after, onlyAfter).map((resource) => ({ after: resource })),
    ...resourcesNamed(before, onlyBefore).map((resource) => ({ before: resource })),
  ]
}

function resourcesNamed(table: Table, names: ReadonlySet<string>): readonly Resource[] {
  if (names.size === 0) return []
  const chains = chainsOf(table)
  return Array.from(names, (chain) => createChainResource(table.name, chain, valueAt(chains, chain)))
}

function jumpPairs(before: Table, after: Table): readonly ResourcePair[] {
  if (before.jumps === after.jumps) return []
  return BUILT_IN_CHAINS[before.name].flatMap((chain) =>
    pairResources(indexResourcesById(jumpsIn(before, chain)), indexResourcesById(jumpsIn(after, chain))),
  )
}

function jumpsIn({ name, jumps }: Table, chain: string): readonly Resource[] {
  return createJumpsResource(
    name,
    chain,
    jumps.filter((rule) => rule.chain === chain),
  )
}

/** Returns the edits of the shared chains that both tables have (chains that several blocks append to). */
function sharedEdits(
  table: Table,
  pairs: readonly OpenPair[],
  { onlyBefore, onlyAfter }: Sharing,
): readonly EditChange[] {
  const placeBefore = placesIn(table)
  const splices = new Map<string, OpenSplice[]>()
  for (const { at, before, after } of pairs) {
    for (const chain of new Set([...before.shared.keys(), ...after.shared.keys()])) {
      if (onlyBefore.has(chain) || onlyAfter.has(chain)) continue
      const local = diffLists(before.shared.get(chain) ?? [], after.shared.get(chain) ?? [])
      if (local.length > 0) pushSplices(splices, chain, local, placeBefore(at, chain))
    }
  }
  return Array.from(splices, ([chain, list]) => editsOf(table.name, chain, list.flatMap(withoutEqual))).flat()
}

/** A splice under construction. */
interface OpenSplice {
  readonly at: number
  readonly removed: unknown[]
  readonly inserted: unknown[]
}

/**
 * Appends the splices of one block to a shared chain and merges adjacent splices. `offset` is the number of rules
 * before the block.
 */
function pushSplices(all: Map<string, OpenSplice[]>, chain: string, splices: readonly Splice[], offset: number): void {
  const existing = all.get(chain) ?? []
  all.set(chain, existing)
  for (const { at, removed, inserted } of splices) {
    const last = existing.at(-1)
    if (last === undefined || last.at + last.removed.length < at + offset) {
      existing.push({ at: at + offset, removed: [...removed], inserted: [...inserted] })
    } else {
      for (const item of removed) last.removed.push(item)
      for (const item of inserted) last.inserted.push(item)
    }
  }
}

/**
 * Returns a function that counts the rules of a shared chain that come from earlier blocks than the block at index
 * `at`. The indexes of successive calls must not decrease.
 */
function placesIn(table: Table): (at: number, chain: string) => number {
  const blocks = backingListOf(table, 'blocks')
  const counts = new Map<string, number>()
  let passed = 0
  return (at, chain) => {
    for (; passed < at; passed++) {
      for (const shared of countSharedRules(blocks[passed] as RuleBlock)) {
        counts.set(shared.chain, (counts.get(shared.chain) ?? 0) + shared.count)
      }
    }
    return counts.get(chain) ?? 0
  }
}

/**
 * Shortens a splice by the rules that it both removes and inserts. Such rules occur if one block removes a rule and an
 * adjacent block inserts the same rule.
 */
function withoutEqual({ at, removed, inserted }: Splice): readonly Splice[] {
  return diffLists(removed, inserted).map((splice) => ({ ...splice, at: splice.at + at }))
}

function editsOf(table: TableName, chain: string, splices: readonly Splice[]): readonly EditChange[] {
  if (splices.length === 0) return []
  const refs = (lists: readonly (readonly unknown[])[]) => chainReferencesOf(table, lists.flat() as readonly Rule[])
  const removed = refs(splices.map((splice) => splice.removed))
  const inserted = refs(splices.map((splice) => splice.inserted))
  return [{ kind: 'edit', id: formatChainId(table, chain), ...diffReferences(removed, inserted), splices }]
}
