import { contributionChanges } from '../diff/claims.js'
import { type ChunkedList, chunkedList, findInChunks } from '../internal/chunked-list.js'
import {
  type ByAddress,
  type EndpointsOf,
  endpointsOfAll,
  type PlacedIndex,
  placedAt,
  placesOfAll,
  placesSendingTo,
} from './netfilter/by-address.js'

/** How a state is put together of what service ports contribute to it. */
export interface ContributedState<State, Contribution extends object> {
  /** Undefined for states that were not compiled. */
  readonly listOf: (state: State) => ChunkedList<Contribution> | undefined
  readonly index: (contributions: readonly Contribution[]) => PlacedIndex<Contribution>
  readonly endpointsOf: EndpointsOf<Contribution>
  /** Whether two states are the same but for contributions, and these are met by packets for their addresses alone. */
  readonly differInThese: (before: State, after: State) => boolean
  /** The same state with other contributions. */
  readonly withList: (state: State, list: () => ChunkedList<Contribution>) => State
}

/** What service ports contribute to compiled states, at the addresses that packets for it have. */
export function contributionsByAddress<State, Contribution extends object>({
  listOf,
  index,
  endpointsOf,
  differInThese,
  withList,
}: ContributedState<State, Contribution>): ByAddress<State> {
  const indexesOf = (state: State) => {
    const list = listOf(state)
    return list === undefined ? [] : findInChunks(list, index)
  }
  return {
    changed: (before, after) => {
      const [old, fresh] = [listOf(before), listOf(after)]
      if (old === undefined || fresh === undefined || !differInThese(before, after)) return undefined
      const { removed, added } = contributionChanges(old, fresh)
      return placesOfAll(index([...removed, ...added]).all)
    },
    sendingTo: (state, addresses) => placesSendingTo(indexesOf(state), addresses),
    sentFrom: (state, addresses) => endpointsOfAll(placedAt(indexesOf(state), addresses), endpointsOf),
    partAt: (state, addresses) => {
      const found = placedAt(indexesOf(state), addresses).map(({ thing }) => thing)
      return withList(state, () => chunkedList(found))
    },
  }
}
