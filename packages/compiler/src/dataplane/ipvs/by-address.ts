import { contributionChanges } from '../../diff/claims.js'
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
import type { IpvsState, ServerContribution } from './ast.js'
import { stateOfContributions } from './claims.js'

/** The virtual servers of compiled states, at their addresses. */
export const serversByAddress: ByAddress<IpvsState> = {
  changed: (before, after) => {
    const [old, fresh] = [listOf(before), listOf(after)]
    if (old === undefined || fresh === undefined) return undefined
    const { removed, added } = contributionChanges(old, fresh)
    return placesOfAll([...removed, ...added].map(placedServers))
  },
  sendingTo: (state, addresses) => placesSendingTo(indexesOf(state), addresses),
  sentFrom: (state, addresses) => endpointsOfAll(placedAt(indexesOf(state), addresses)),
  partAt: (state, addresses) => {
    const found = placedAt(indexesOf(state), addresses).map(({ thing }) => thing)
    return stateOfContributions(() => chunkedList(found))
  },
}

function listOf(state: IpvsState): ChunkedList<ServerContribution> | undefined {
  return isOfList(state) ? listBehind(state, 'contributions') : undefined
}

function indexesOf(state: IpvsState): readonly PlacedIndex<ServerContribution>[] {
  const list = listOf(state)
  return list === undefined ? [] : findInChunks(list, indexServers)
}

function indexServers(contributions: readonly ServerContribution[]): PlacedIndex<ServerContribution> {
  return indexPlaced(contributions.map(placedServers))
}

function placedServers(contribution: ServerContribution): Placed<ServerContribution> {
  const servers = [...contribution.virtualServers, ...contribution.yieldingServers]
  const endpoints = servers.flatMap(({ realServers }) => realServers.map(({ address }) => address))
  return {
    thing: contribution,
    places: servers.map(({ address }) => address),
    isAnywhere: false,
    endpoints: [...new Set(endpoints)],
  }
}
