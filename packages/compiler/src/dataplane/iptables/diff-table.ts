import { changesOf, pairsOf, type ResourcePair } from '../../diff/diff.js'
import { diffLists } from '../../diff/diff-lists.js'
import { type Change, type Edit, refsBetween } from '../../diff/patch.js'
import type { Resource } from '../../diff/resource.js'
import type { Splice } from '../../diff/splice.js'
import { alignBlocks, type BlockPair } from './align-blocks.js'
import type { Rule, Table, TableName } from './ast.js'
import { BUILT_IN_CHAINS } from './built-in-chains.js'
import { type BlockRules, blockRules, type RulesByChain, sharedCounts } from './block-rules.js'
import { chainsOf } from './chains.js'
import {
  chainId,
  chainResource,
  jumpsResource,
  ownedChains,
  refsOf,
  sharedChains,
  tableResources,
} from './resources.js'

export interface TableDiff {
  /** In no particular order. */
  readonly changes: readonly Change[]
  /** The blocks in which the tables differ; undefined where they could not be compared block by block. */
  readonly pairs: readonly BlockPair[] | undefined
}

/** A pair of blocks with their rules sorted out. */
interface OpenPair {
  readonly at: number
  readonly before: BlockRules
  readonly after: BlockRules
}

/** What turns one table into another of the same name, looking only into blocks that are not the identical object. */
export function diffTable(before: Table, after: Table): TableDiff {
  if (before === after) return { changes: [], pairs: [] }
  const pairs = alignBlocks(before.blocks, after.blocks)
  const shared = sharedInBoth(before, after)
  if (pairs === undefined || shared === undefined) {
    return { changes: changesOf(pairsOf(byId(tableResources(before)), byId(tableResources(after)))), pairs }
  }
  const open = pairs.map((pair) => ({ at: pair.at, before: blockRules(pair.before), after: blockRules(pair.after) }))
  const resources = [...ownPairs(before.name, open), ...sharedPairs(before, after, shared), ...jumpPairs(before, after)]
  return { changes: [...changesOf(resources), ...sharedEdits(before, open, shared)], pairs }
}

/** The shared chains that are in both tables. Undefined where a chain is shared in one and its owner's in the other. */
function sharedInBoth(before: Table, after: Table): ReadonlySet<string> | undefined {
  const left = sharedChains(before)
  const right = sharedChains(after)
  const both = new Set([...left].filter((chain) => right.has(chain)))
  return isOwnedOne(left, both, after) || isOwnedOne(right, both, before) ? undefined : both
}

function isOwnedOne(shared: ReadonlySet<string>, both: ReadonlySet<string>, other: Table): boolean {
  if (shared.size === both.size) return false
  const owned = ownedChains(other)
  return [...shared].some((chain) => owned.has(chain))
}

function byId(resources: readonly Resource[]): ReadonlyMap<string, Resource> {
  return new Map(resources.map((resource) => [resource.id, resource]))
}

/** The chains of owners, by name: it does not matter under which owner. */
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
  return rules && chainResource(table, chain, rules)
}

/** The shared chains that only one of the tables has. */
function sharedPairs(before: Table, after: Table, both: ReadonlySet<string>): readonly ResourcePair[] {
  const only = (table: Table) => {
    const names = [...sharedChains(table)].filter((chain) => !both.has(chain))
    const chains = names.length === 0 ? undefined : chainsOf(table)
    return names.map((chain) => chainResource(table.name, chain, chains?.get(chain) ?? []))
  }
  return [...only(after).map((resource) => ({ after: resource })), ...only(before).map((resource) => ({ before: resource }))]
}

function jumpPairs(before: Table, after: Table): readonly ResourcePair[] {
  if (before.jumps === after.jumps) return []
  return BUILT_IN_CHAINS[before.name].flatMap((chain) => pairsOf(byId(jumpsIn(before, chain)), byId(jumpsIn(after, chain))))
}

function jumpsIn({ name, jumps }: Table, chain: string): readonly Resource[] {
  return jumpsResource(
    name,
    chain,
    jumps.filter((rule) => rule.chain === chain),
  )
}

/** The edits of chains to which several blocks append. */
function sharedEdits(table: Table, pairs: readonly OpenPair[], shared: ReadonlySet<string>): readonly Edit[] {
  const places = placesIn(table)
  const splices = new Map<string, Splice[]>()
  for (const { at, before, after } of pairs) {
    for (const chain of new Set([...before.shared.keys(), ...after.shared.keys()])) {
      if (!shared.has(chain)) continue
      const local = diffLists(before.shared.get(chain) ?? [], after.shared.get(chain) ?? [])
      if (local.length === 0) continue
      const offset = places(at).get(chain) ?? 0
      const known = splices.get(chain) ?? []
      for (const splice of local) pushSplice(known, { ...splice, at: splice.at + offset })
      splices.set(chain, known)
    }
  }
  return Array.from(splices, ([chain, list]) => editOf(table.name, chain, list))
}

/** How many rules each shared chain has before a block, for blocks asked for in ascending order. */
function placesIn({ blocks }: Table): (at: number) => ReadonlyMap<string, number> {
  const counted = new Map<string, number>()
  let next = 0
  return (at) => {
    for (; next < at; next++) {
      const block = blocks[next]
      if (block === undefined) continue
      for (const { chain, count } of sharedCounts(block)) counted.set(chain, (counted.get(chain) ?? 0) + count)
    }
    return counted
  }
}

/** Appends a splice, as part of the last one where the two touch. */
function pushSplice(splices: Splice[], splice: Splice): void {
  const last = splices.at(-1)
  if (last === undefined || last.at + last.removed.length < splice.at) {
    splices.push(splice)
    return
  }
  splices[splices.length - 1] = {
    at: last.at,
    removed: [...last.removed, ...splice.removed],
    inserted: [...last.inserted, ...splice.inserted],
  }
}

function editOf(table: TableName, chain: string, splices: readonly Splice[]): Edit {
  const removed = refsOf(table, splices.flatMap((splice) => splice.removed as readonly Rule[]))
  const inserted = refsOf(table, splices.flatMap((splice) => splice.inserted as readonly Rule[]))
  return { kind: 'edit', id: chainId(table, chain), ...refsBetween(removed, inserted), splices }
}
