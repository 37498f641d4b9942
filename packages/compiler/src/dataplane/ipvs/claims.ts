import { withArray } from '../../internal/array-of-list.js'
import { type ChunkedList, itemsOf } from '../../internal/chunked-list.js'
import { type ContributionComparison, claimDiff, claimOwners, diffContributed } from '../../patch/claims.js'
import type { Patch } from '../../patch/patch.js'
import type { Resources } from '../../patch/resource.js'
import type { IpvsState, ServerContribution, VirtualServer } from './ast.js'
import { realServerLine, virtualServerLine } from './print.js'
import { resourcesOf, virtualServerId, virtualServerResources } from './resources.js'

/** A claim for a virtual server. */
interface ServerClaim {
  readonly server: VirtualServer
  readonly yields: boolean
}

const SERVER_CLAIMS: ContributionComparison<ServerContribution, ServerClaim> = {
  claimsOf: ({ virtualServers, fallbackServers }) => {
    const claims = new Map<string, ServerClaim>()
    const add = (servers: readonly VirtualServer[], yields: boolean): void => {
      for (const server of servers) {
        const key = virtualServerId(server)
        if (!claims.has(key)) claims.set(key, { server, yields })
      }
    }
    add(virtualServers, false)
    add(fallbackServers, true)
    return claims
  },
  rankOf: ({ yields }) => (yields ? 1 : 0),
  textOf: ({ server }) => {
    const realServers = server.realServers.map((realServer) => realServerLine('-a', server, realServer))
    return [virtualServerLine('-A', server), ...realServers.sort()].join('\n')
  },
  resourcesOf: ({ server }) => virtualServerResources(server),
}

/** Compares the claims of contributions. */
const serverClaims = claimDiff(SERVER_CLAIMS)

/** Returns the patch from one state to another; undefined means no resources of ours. */
export function diffIpvs(before: IpvsState | undefined, after: IpvsState | undefined): Patch {
  return diffContributed(before, after, { claims: serverClaims, fixed: () => NOTHING, all: resourcesOf })
}

const NOTHING: Resources = new Map()

/** Builds the state from contributions, lazily. */
export function mergeContributions(contributions: () => ChunkedList<ServerContribution>): IpvsState {
  return withArray({}, 'contributions', contributions, { virtualServers: (list) => serversOf(itemsOf(list())) })
}

function serversOf(contributions: readonly ServerContribution[]): readonly VirtualServer[] {
  const byId = new Map<string, VirtualServer>()
  const add = (server: VirtualServer): void => {
    const id = virtualServerId(server)
    if (!byId.has(id)) byId.set(id, server)
  }
  for (const each of contributions) each.virtualServers.forEach(add)
  for (const each of contributions) each.fallbackServers.forEach(add)
  return [...byId.values()]
}

/** Returns the owner of each virtual server by its id; of several claimants, the one that has it. */
export function serverOwners({ contributions = [] }: IpvsState): ReadonlyMap<string, string> {
  return claimOwners(contributions, SERVER_CLAIMS)
}
