import { isOfList, listBehind } from '../../internal/array-of-list.js'
import { contributionsByAddress } from '../contributions-by-address.js'
import { type ByAddress, indexPlaced, type Placed, type PlacedIndex } from '../netfilter/by-address.js'
import type { Ports } from '../netfilter/reach.js'
import type { IpvsState, ServerContribution, VirtualServer } from './ast.js'
import { stateOfContributions } from './claims.js'

/** The virtual servers of compiled states, at their addresses. */
export const serversByAddress: ByAddress<IpvsState> = contributionsByAddress({
  listOf: (state) => (isOfList(state) ? listBehind(state, 'contributions') : undefined),
  index: indexServers,
  endpointsOf,
  portsAt,
  differInThese: () => true,
  withList: (_, list) => stateOfContributions(list),
})

function indexServers(contributions: readonly ServerContribution[]): PlacedIndex<ServerContribution> {
  return indexPlaced(contributions.map(placedServers), endpointsOf)
}

function placedServers(contribution: ServerContribution): Placed<ServerContribution> {
  const places = serversOf(contribution).map(({ address }) => address)
  return { thing: contribution, places, within: [], isAnywhere: false }
}

function portsAt(contribution: ServerContribution, place: string): Ports {
  const ports = serversOf(contribution).flatMap(({ address, port }) => (address === place ? port : []))
  return ports.includes(EVERY_PORT) ? 'all' : new Set(ports.map(String))
}

/** Of a virtual server. */
const EVERY_PORT = 0

function endpointsOf(contribution: ServerContribution): readonly string[] {
  const endpoints = serversOf(contribution).flatMap(({ realServers }) => realServers.map(({ address }) => address))
  return [...new Set(endpoints)]
}

function serversOf({ virtualServers, yieldingServers }: ServerContribution): readonly VirtualServer[] {
  return [...virtualServers, ...yieldingServers]
}
