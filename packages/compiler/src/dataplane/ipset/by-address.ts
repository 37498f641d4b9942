import { contributionChanges } from '../../diff/claims.js'
import { sameValue } from '../../diff/resource.js'
import { isOfList, listBehind } from '../../internal/array-of-list.js'
import { type ChunkedList, chunkedList, findInChunks } from '../../internal/chunked-list.js'
import {
  type ByAddress,
  indexPlaced,
  type Placed,
  type PlacedIndex,
  placedAt,
  placesOfAll,
} from '../netfilter/by-address.js'
import type { EntryContribution, IpsetState } from './ast.js'
import { stateOfContributions } from './claims.js'

/** The entries of compiled states, at their first addresses. */
export const entriesByAddress: ByAddress<IpsetState> = {
  changed: (before, after) => {
    const [old, fresh] = [listOf(before), listOf(after)]
    if (old === undefined || fresh === undefined || !sameValue(before.definitions, after.definitions)) return undefined
    const { removed, added } = contributionChanges(old, fresh)
    return placesOfAll([...removed, ...added].map(placedEntries))
  },
  sendingTo: () => [],
  sentFrom: () => [],
  partAt: (state, addresses) => {
    const found = placedAt(indexesOf(state), addresses).map(({ thing }) => thing)
    return stateOfContributions(state.definitions ?? [], () => chunkedList(found))
  },
}

function listOf(state: IpsetState): ChunkedList<EntryContribution> | undefined {
  return isOfList(state) && state.definitions !== undefined ? listBehind(state, 'contributions') : undefined
}

function indexesOf(state: IpsetState): readonly PlacedIndex<EntryContribution>[] {
  const list = listOf(state)
  return list === undefined ? [] : findInChunks(list, indexEntries)
}

function indexEntries(contributions: readonly EntryContribution[]): PlacedIndex<EntryContribution> {
  return indexPlaced(contributions.map(placedEntries))
}

function placedEntries(contribution: EntryContribution): Placed<EntryContribution> {
  const places = contribution.entries.map(({ entry }) => ('address' in entry ? entry.address : undefined))
  return {
    thing: contribution,
    places: places.flatMap((place) => place ?? []),
    isAnywhere: places.includes(undefined),
    endpoints: [],
  }
}
