import { sameValue } from '../../diff/resource.js'
import { isOfList, listBehind } from '../../internal/array-of-list.js'
import { findInChunks } from '../../internal/chunked-list.js'
import {
  type ByAddress,
  endpointsOfAll,
  indexPlaced,
  type PlacedIndex,
  type PlaceReading,
  placedAt,
  reachOfAll,
  reachSendingTo,
} from '../netfilter/by-address.js'
import { type Reach, uniteReaches } from '../netfilter/reach.js'
import type { Block, IptablesState, Table } from './ast.js'
import { endpointsOf, factsOf } from './block-facts.js'
import { alignBlocks } from './diff/align-blocks.js'
import { rulesIn } from './lazy-block.js'
import { reachOfChains, reachOfSets } from './reach.js'

/** The blocks of compiled tables, where rules in chains of others lead to them. */
export const blocksByAddress: ByAddress<IptablesState> = {
  changed: changedReach,
  sendingTo: ({ tables }, packets) =>
    uniteReaches(tables.map((table) => reachSendingTo(indexesOf(table), packets, readingOf(table)))),
  sentFrom: ({ tables }, packets) => tables.flatMap((table) => endpointsOfAll(blocksAt(table, packets), endpointsOf)),
  partAt: ({ family, tables }, packets) => ({
    family,
    tables: tables.map((table) => ({
      name: table.name,
      ...(table.policies && { policies: table.policies }),
      jumps: table.jumps,
      blocks: blocksAt(table, packets).map(({ thing }) => thing),
    })),
  }),
  askingSets: ({ tables }) => {
    const asking = tables.map((table) => reachOfSets(table, blocksOfAll(table), readingOf(table).reachOf))
    return (name) => uniteReaches(asking.map((reachOf) => reachOf(name)))
  },
}

function blocksAt(table: Table, packets: Reach) {
  return placedAt(indexesOf(table), packets, readingOf(table))
}

function readingOf(table: Table): PlaceReading<Block> {
  const entered = new Set(indexesOf(table).flatMap(({ leadsTo }) => [...leadsTo]))
  return { reachOf: reachOfChains(table, blocksOfAll(table), entered), portsAt: () => 'all' }
}

function blocksOfAll(table: Table): readonly Block[] {
  return indexesOf(table).flatMap(({ anywhere }) => anywhere.map(({ thing }) => thing))
}

/** Undefined where the rest of two states is not the same, and where a set is asked for sources. */
function changedReach(before: IptablesState, after: IptablesState): Reach | undefined {
  if (before.tables.length !== after.tables.length) return undefined
  return uniteReaches(before.tables.map((table, index) => changedReachOf(table, after.tables[index] as Table)))
}

function changedReachOf(table: Table, other: Table): Reach | undefined {
  const blocks = changedBlocks(table, other)
  return blocks && uniteReaches([table, other].map((each) => reachOfAll(blocks.map(factsOf), readingOf(each))))
}

/** Of both tables. */
function changedBlocks(table: Table, other: Table): readonly Block[] | undefined {
  if (asksSetForSource(other)) return undefined
  if (table === other) return []
  if (!isSameFrame(table, other)) return undefined
  if (hasSameBlocks(table, other)) return []
  if (!isOfList(table) || !isOfList(other)) return undefined
  const pairs = alignBlocks(listBehind(table, 'blocks'), listBehind(other, 'blocks'))
  if (pairs === undefined) return undefined
  const changed: Block[] = []
  for (const { before: old, after: fresh } of pairs) {
    if (!isSameBlock(old, fresh)) changed.push(...[old, fresh].filter((block) => block !== undefined))
  }
  return changed
}

function isSameFrame(table: Table, other: Table): boolean {
  return table.name === other.name && sameValue([table.policies, table.jumps], [other.policies, other.jumps])
}

function isSameBlock(block: Block | undefined, other: Block | undefined): boolean {
  if (block === other || block === undefined || other === undefined) return block === other
  return sameValue([block.chains, rulesIn(block)], [other.chains, rulesIn(other)])
}

/** Of a table of a few blocks, which is no list. */
function hasSameBlocks(table: Table, other: Table): boolean {
  if (isOfList(table) || isOfList(other) || table.blocks.length !== other.blocks.length) return false
  return table.blocks.every((block, index) => isSameBlock(block, other.blocks[index]))
}

/** Then all that is in it may concern packets for any address. Only rules that are there for all ask so. */
function asksSetForSource(table: Table): boolean {
  return blocksOfAll(table).some((block) => factsOf(block).asksSetForSource)
}

interface BlockIndex extends PlacedIndex<Block> {
  /** Chains of others to which rules of one that is not there for all lead. */
  readonly leadsTo: ReadonlySet<string>
}

function indexesOf(table: Table): readonly BlockIndex[] {
  return findInChunks(listBehind(table, 'blocks'), indexBlocks)
}

function indexBlocks(blocks: readonly Block[]): BlockIndex {
  const facts = blocks.map(factsOf)
  const leading = facts.filter(({ isAnywhere }) => !isAnywhere)
  return { ...indexPlaced(facts, endpointsOf), leadsTo: new Set(leading.flatMap(({ leadsTo }) => leadsTo)) }
}
