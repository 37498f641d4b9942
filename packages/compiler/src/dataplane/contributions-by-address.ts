import { contributionChanges } from '../diff/claims.js'
import { type ChunkedList, chunkedList, findInChunks } from '../internal/chunked-list.js'
import {
  type ByAddress,
  type EndpointsOf,
  endpointsOfAll,
  type PlacedIndex,
  type PlaceReading,
  type PortsAt,
  placedAt,
  reachOfAll,
  reachSendingTo,
} from './netfilter/by-address.js'
import { type ReachOf, uniteReaches } from './netfilter/reach.js'

/** How a state is put together of what service ports contribute to it. */
export interface ContributedState<State, Contribution extends object> {
  /** Undefined for states that were not compiled. */
  readonly listOf: (state: State) => ChunkedList<Contribution> | undefined
  readonly index: (contributions: readonly Contribution[]) => PlacedIndex<Contribution>
  readonly endpointsOf: EndpointsOf<Contribution>
  /** Absent: at all. */
  readonly portsAt?: PortsAt<Contribution> | undefined
  /** Of what contributions stand in. Absent: that other languages know. */
  readonly reachOf?: ((state: State) => ReachOf) | undefined
  /** Whether two states are the same but for contributions, and these are met by packets for their addresses alone. */
  readonly differInThese: (before: State, after: State) => boolean
  /** What of some contributions others do not have; absent where their order counts, so that all of it may differ. */
  readonly without?:
    | ((some: readonly Contribution[], others: readonly Contribution[]) => readonly Contribution[])
    | undefined
  /** The same state with other contributions. */
  readonly withList: (state: State, list: () => ChunkedList<Contribution>) => State
}

/** What service ports contribute to compiled states, at the addresses that packets for it have. */
export function contributionsByAddress<State, Contribution extends object>({
  listOf,
  index,
  endpointsOf,
  portsAt = allPorts,
  reachOf,
  differInThese,
  without = (some) => some,
  withList,
}: ContributedState<State, Contribution>): ByAddress<State> {
  const indexesOf = (state: State) => {
    const list = listOf(state)
    return list === undefined ? [] : findInChunks(list, index)
  }
  const reading = (state: State, sets: ReachOf): PlaceReading<Contribution> => ({
    reachOf: reachOf?.(state) ?? sets,
    portsAt,
  })
  return {
    changed: (before, after, sets) => {
      const [old, fresh] = [listOf(before), listOf(after)]
      if (old === undefined || fresh === undefined || !differInThese(before, after)) return undefined
      const { removed, added } = contributionChanges(old, fresh)
      const { all } = index([...without(removed, added), ...without(added, removed)])
      return uniteReaches([before, after].map((state) => reachOfAll(all, reading(state, sets))))
    },
    sendingTo: (state, packets, sets) => reachSendingTo(indexesOf(state), packets, reading(state, sets)),
    sentFrom: (state, packets, sets) =>
      endpointsOfAll(placedAt(indexesOf(state), packets, reading(state, sets)), endpointsOf),
    partAt: (state, packets, sets) => {
      const found = placedAt(indexesOf(state), packets, reading(state, sets)).map(({ thing }) => thing)
      return withList(state, () => chunkedList(found))
    },
  }
}

function allPorts(): 'all' {
  return 'all'
}
