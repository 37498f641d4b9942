import { isOfList, listBehind } from '../../internal/array-of-list.js'
import { contributionsByAddress } from '../contributions-by-address.js'
import { type ByAddress, indexPlaced, type Placed, type PlacedIndex } from '../netfilter/by-address.js'
import type { IpvsState, ServerContribution } from './ast.js'
import { stateOfContributions } from './claims.js'

/** The virtual servers of compiled states, at their addresses. */
export const serversByAddress: ByAddress<IpvsState> = contributionsByAddress({
  listOf: (state) => (isOfList(state) ? listBehind(state, 'contributions') : undefined),
  index: indexServers,
  differInThese: () => true,
  withList: (_, list) => stateOfContributions(list),
})

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
