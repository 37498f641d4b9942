import { sameValue } from '../../diff/resource.js'
import { isOfList, listBehind } from '../../internal/array-of-list.js'
import { findInChunks } from '../../internal/chunked-list.js'
import {
  type ByAddress,
  endpointsOfAll,
  indexPlaced,
  type PlacedIndex,
  placedAt,
  placesOfAll,
  placesSendingTo,
} from '../netfilter/by-address.js'
import type { Block, IptablesState, Table } from './ast.js'
import { endpointsOf, factsOf } from './block-facts.js'
import { alignBlocks } from './diff/align-blocks.js'
import { rulesIn } from './lazy-block.js'

/** The blocks of compiled tables, at the addresses at which rules in chains of others lead to them. */
export const blocksByAddress: ByAddress<IptablesState> = {
  changed: (before, after) => {
    const blocks = changedBlocks(before, after)
    return blocks && placesOfAll(blocks.map(factsOf))
  },
  sendingTo: ({ tables }, addresses) => placesSendingTo(tables.flatMap(indexesOf), addresses),
  sentFrom: ({ tables }, addresses) => endpointsOfAll(placedAt(tables.flatMap(indexesOf), addresses), endpointsOf),
  partAt: ({ family, tables }, addresses) => ({
    family,
    tables: tables.map((table) => ({
      name: table.name,
      ...(table.policies && { policies: table.policies }),
      jumps: table.jumps,
      blocks: placedAt(indexesOf(table), addresses).map(({ thing }) => thing),
    })),
  }),
}

/** Of both states; undefined where the rest of them is not the same, and where a set is asked for sources. */
function changedBlocks(before: IptablesState, after: IptablesState): readonly Block[] | undefined {
  if (before.tables.length !== after.tables.length) return undefined
  const changed: Block[] = []
  for (const [index, table] of before.tables.entries()) {
    const other = after.tables[index] as Table
    if (asksSetForSource(other)) return undefined
    if (table === other) continue
    if (!isSameFrame(table, other)) return undefined
    if (hasSameBlocks(table, other)) continue
    if (!isOfList(table) || !isOfList(other)) return undefined
    const pairs = alignBlocks(listBehind(table, 'blocks'), listBehind(other, 'blocks'))
    if (pairs === undefined) return undefined
    for (const { before: old, after: fresh } of pairs) {
      if (old?.owner !== '') changed.push(...[old, fresh].filter((block) => block !== undefined))
      else if (!sameValue([old.chains, rulesIn(old)], fresh && [fresh.chains, rulesIn(fresh)])) return undefined
    }
  }
  return changed
}

function isSameFrame(table: Table, other: Table): boolean {
  return table.name === other.name && sameValue([table.policies, table.jumps], [other.policies, other.jumps])
}

/** Of a table of a few blocks, which is no list. */
function hasSameBlocks(table: Table, other: Table): boolean {
  if (isOfList(table) || isOfList(other) || table.blocks.length !== other.blocks.length) return false
  return table.blocks.every((block, index) => {
    const fresh = other.blocks[index] as Block
    return block === fresh || sameValue([block.chains, rulesIn(block)], [fresh.chains, rulesIn(fresh)])
  })
}

/** Then all that is in it may concern packets for any address. Only rules that are there for all ask so. */
function asksSetForSource(table: Table): boolean {
  const shared = indexesOf(table).flatMap(({ anywhere }) => anywhere)
  return shared.some(({ thing }) => factsOf(thing).asksSetForSource)
}

function indexesOf(table: Table): readonly PlacedIndex<Block>[] {
  return findInChunks(listBehind(table, 'blocks'), indexBlocks)
}

function indexBlocks(blocks: readonly Block[]): PlacedIndex<Block> {
  return indexPlaced(blocks.map(factsOf), endpointsOf)
}
