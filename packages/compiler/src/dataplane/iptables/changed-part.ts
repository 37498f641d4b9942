import { sameValue } from '../../diff/resource.js'
import { isOfList, listBehind } from '../../internal/array-of-list.js'
import { findInChunks } from '../../internal/chunked-list.js'
import type { ChangedPart } from '../live-language.js'
import type { Block, IptablesState, Table } from './ast.js'
import { factsOf } from './block-facts.js'
import { alignBlocks } from './diff/align-blocks.js'
import { rulesIn } from './lazy-block.js'

/**
 * The places for which packets are that may meet what two compiled states differ in: those at which rules lead to blocks that
 * are not the same, and those whose endpoints have such an address; with what of either state packets for them may meet.
 * Undefined where that cannot be told: rules for ports of the node lead there, what all service ports have in common has
 * changed, or the states are not compiled one from the other.
 */
export function changedPart(before: IptablesState, after: IptablesState): ChangedPart<IptablesState> | undefined {
  const changed = changedBlocks(before, after)
  const addresses = changed && placesOfBlocks(changed)
  if (addresses === undefined) return undefined
  const senders = placesOfBlocks([before, after].flatMap((state) => blocksSendingTo(state, addresses)))
  if (senders === undefined) return undefined
  const all = new Set([...addresses, ...senders])
  return {
    places: Array.from(all, (address) => ({ address })),
    before: partOf(before, all),
    after: partOf(after, all),
  }
}

/** Of both states; undefined where the rest of them is not the same. */
function changedBlocks(before: IptablesState, after: IptablesState): readonly Block[] | undefined {
  if (before.tables.length !== after.tables.length) return undefined
  const changed: Block[] = []
  for (const [index, table] of before.tables.entries()) {
    const other = after.tables[index] as Table
    if (table === other) continue
    if (!isOfList(table) || !isOfList(other) || !isSameFrame(table, other)) return undefined
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

/** The addresses at which chains of others lead to blocks; undefined where one of them is reached without any. */
function placesOfBlocks(blocks: readonly Block[]): readonly string[] | undefined {
  const facts = blocks.map(factsOf)
  return facts.some(({ isAnywhere }) => isAnywhere) ? undefined : facts.flatMap(({ places }) => places)
}

/** Blocks by what packets come to them for, and by what they send packets to. */
interface BlockIndex {
  readonly blocks: readonly Block[]
  readonly byPlace: ReadonlyMap<string, readonly Block[]>
  readonly byEndpoint: ReadonlyMap<string, readonly Block[]>
  readonly anywhere: readonly Block[]
}

function indexBlocks(blocks: readonly Block[]): BlockIndex {
  const byPlace = new Map<string, Block[]>()
  const byEndpoint = new Map<string, Block[]>()
  const anywhere: Block[] = []
  for (const block of blocks) {
    const { places, endpoints, isAnywhere } = factsOf(block)
    if (isAnywhere) anywhere.push(block)
    for (const place of places) add(byPlace, place, block)
    for (const endpoint of endpoints) add(byEndpoint, endpoint, block)
  }
  return { blocks, byPlace, byEndpoint, anywhere }
}

function add(map: Map<string, Block[]>, key: string, block: Block): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [block])
  else known.push(block)
}

function indexesOf(table: Table): readonly BlockIndex[] {
  return findInChunks(listBehind(table, 'blocks'), indexBlocks)
}

/** The blocks with endpoints that have one of the addresses. */
function blocksSendingTo({ tables }: IptablesState, addresses: readonly string[]): readonly Block[] {
  return tables.flatMap((table) =>
    indexesOf(table).flatMap(({ byEndpoint }) => addresses.flatMap((address) => byEndpoint.get(address) ?? [])),
  )
}

/** What packets for the addresses may meet: what is for them, or for an endpoint that they are sent to, or for any address. */
function partOf(state: IptablesState, addresses: ReadonlySet<string>): IptablesState {
  const served = state.tables.flatMap((table) => blocksFor(table, addresses))
  const later = new Set([...addresses, ...served.flatMap((block) => factsOf(block).endpoints)])
  const tables = state.tables.map(
    (table): Table => ({
      name: table.name,
      ...(table.policies && { policies: table.policies }),
      jumps: table.jumps,
      blocks: blocksFor(table, later),
    }),
  )
  return { family: state.family, tables }
}

/** In their order. */
function blocksFor(table: Table, addresses: ReadonlySet<string>): readonly Block[] {
  return indexesOf(table).flatMap(({ blocks, byPlace, anywhere }) => {
    const found = new Set(anywhere)
    for (const address of addresses) for (const block of byPlace.get(address) ?? []) found.add(block)
    return found.size === 0 ? [] : blocks.filter((block) => found.has(block))
  })
}
