import { isOfList, listBehind } from '../../internal/array-of-list.js'
import { contributionsByAddress } from '../contributions-by-address.js'
import { type ByAddress, indexPlaced, type Placed, type PlacedIndex } from '../netfilter/by-address.js'
import type { IpvsState, ServerContribution, VirtualServer } from './ast.js'
import { stateOfContributions } from './claims.js'

/** The virtual servers of compiled states, at their addresses. */
export const serversByAddress: ByAddress<IpvsState> = contributionsByAddress({
  listOf: (state) => (isOfList(state) ? listBehind(state, 'contributions') : undefined),
  index: indexServers,
  endpointsOf,
  differInThese: () => true,
  withList: (_, list) => stateOfContributions(list),
})

function indexServers(contributions: readonly ServerContribution[]): PlacedIndex<ServerContribution> {
  return indexPlaced(contributions.map(placedServers), endpointsOf)
}

function placedServers(contribution: ServerContribution): Placed<ServerContribution> {
  return { thing: contribution, places: serversOf(contribution).map(({ address }) => address), isAnywhere: false }
}

function endpointsOf(contribution: ServerContribution): readonly string[] {
  const endpoints = serversOf(contribution).flatMap(({ realServers }) => realServers.map(({ address }) => address))
  return [...new Set(endpoints)]
}

function serversOf({ virtualServers, yieldingServers }: ServerContribution): readonly VirtualServer[] {
  return [...virtualServers, ...yieldingServers]
}
