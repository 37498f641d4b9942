import { contributionChanges } from '../../diff/claims.js'
import { sameValue } from '../../diff/resource.js'
import { isOfList, listBehind } from '../../internal/array-of-list.js'
import { type ChunkedList, chunkedList, findInChunks } from '../../internal/chunked-list.js'
import {
  type ByAddress,
  endpointsOfAll,
  indexPlaced,
  type Placed,
  type PlacedIndex,
  placedAt,
  placesOfAll,
  placesSendingTo,
} from '../netfilter/by-address.js'
import type { Statement } from './ast.js'
import { partsOf } from './keys/key-parts.js'
import { areAskedByDestination, placesOfElements, setsAskedWithoutDestination } from './places-of-elements.js'
import { type NftablesState, stateOfContributions, type TableContribution } from './state.js'

/** What is asked for of a compiled table, at the addresses of its elements in sets of all. */
export const contributionsByAddress: ByAddress<NftablesState> = {
  changed: (before, after) => {
    const [old, fresh] = [listOf(before), listOf(after)]
    if (old === undefined || fresh === undefined || !sameValue(before.fixed, after.fixed)) return undefined
    if (![before, after].every(isAskedByDestination)) return undefined
    const { removed, added } = contributionChanges(old, fresh)
    return placesOfAll([...removed, ...added].map(placedContribution))
  },
  sendingTo: (state, addresses) => placesSendingTo(indexesOf(state), addresses),
  sentFrom: (state, addresses) => endpointsOfAll(placedAt(indexesOf(state), addresses)),
  partAt: (state, addresses) => {
    const { fixed } = state
    const found = placedAt(indexesOf(state), addresses).map(({ thing }) => thing)
    return fixed === undefined ? state : stateOfContributions(fixed, () => chunkedList(found))
  },
}

function listOf(state: NftablesState): ChunkedList<TableContribution> | undefined {
  return isOfList(state) && state.fixed !== undefined ? listBehind(state, 'contributions') : undefined
}

interface ContributionIndex extends PlacedIndex<TableContribution> {
  /** Sets of all that have elements of these. */
  readonly filled: ReadonlySet<string>
  /** Sets that rules of these look into whatever the destination is. */
  readonly blind: ReadonlySet<string>
}

function indexesOf(state: NftablesState): readonly ContributionIndex[] {
  const list = listOf(state)
  return list === undefined ? [] : findInChunks(list, indexContributions)
}

function indexContributions(contributions: readonly TableContribution[]): ContributionIndex {
  return {
    ...indexPlaced(contributions.map(placedContribution)),
    filled: new Set(contributions.flatMap(({ elements }) => elements.map(({ set }) => set))),
    blind: setsAskedWithoutDestination(contributions),
  }
}

/** Whether no element is met by packets for other addresses than its own. */
function isAskedByDestination(state: NftablesState): boolean {
  const indexes = indexesOf(state)
  const filled = new Set(indexes.flatMap((index) => [...index.filled]))
  const blind = [setsAskedWithoutDestination(state.fixed === undefined ? [] : [state.fixed])]
  return [...blind, ...indexes.map((index) => index.blind)].every((sets) => areAskedByDestination(filled, sets))
}

function placedContribution(contribution: TableContribution): Placed<TableContribution> {
  const places = placesOfElements(contribution.elements)
  const endpoints = contribution.chains.flatMap(({ rules }) =>
    rules.flatMap(({ statements }) => statements.flatMap(endpointsOfStatement)),
  )
  return {
    thing: contribution,
    places: places ?? [],
    isAnywhere: places === undefined,
    endpoints: [...new Set(endpoints)],
  }
}

function endpointsOfStatement(statement: Statement): readonly string[] {
  if (statement.kind !== 'dnat') return []
  const { to } = statement
  return to.kind === 'address' ? [to.address] : to.elements.flatMap(({ data }) => partsOf(data ?? '').slice(0, 1))
}
