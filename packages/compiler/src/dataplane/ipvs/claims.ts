import { withLazyArray } from '../../internal/lazy-array.js'
import { type ClaimOperations, createClaimDiffer, findClaimOwners } from '../../patch/claims.js'
import { diffContributedStates } from '../../patch/contributed-states.js'
import type { Patch } from '../../patch/patch.js'
import type { Resources } from '../../patch/resource.js'
import type { IpvsState, ServerContribution, VirtualServer } from './ast.js'
import { formatRealServerLine, formatVirtualServerLine } from './print.js'
import { formatVirtualServerId, listVirtualServerResources, resourcesOf } from './resources.js'

/** The claim of an owner to a virtual server. */
interface ServerClaim {
  readonly server: VirtualServer
  readonly yields: boolean
}

function textOf({ server }: ServerClaim): string {
  const realServers = server.realServers.map((realServer) => formatRealServerLine('-a', server, realServer))
  return [formatVirtualServerLine('-A', server), ...realServers.sort()].join('\n')
}

const SERVER_CLAIMS: ClaimOperations<ServerContribution, ServerClaim> = {
  claimsOf: ({ virtualServers, fallbackServers }) => {
    const claims = new Map<string, ServerClaim>()
    const add = (servers: readonly VirtualServer[], yields: boolean): void => {
      for (const server of servers) {
        const key = formatVirtualServerId(server)
        if (!claims.has(key)) claims.set(key, { server, yields })
      }
    }
    add(virtualServers, false)
    add(fallbackServers, true)
    return claims
  },
  sharedKeysOf: ({ virtualServers, fallbackServers }) =>
    [...virtualServers, ...fallbackServers].map(formatVirtualServerId),
  rankOf: ({ yields }) => (yields ? 1 : 0),
  isSame: (a, b) => textOf(a) === textOf(b),
  textOf,
  resourcesOf: ({ server }) => listVirtualServerResources(server),
}

/** Computes differences between the virtual and real servers that contributions claim. */
const serverClaims = createClaimDiffer(SERVER_CLAIMS)

/** Returns the patch from one state to another. An undefined state has no kube-proxy resources. */
export function diffIpvs(before: IpvsState | undefined, after: IpvsState | undefined): Patch {
  return diffContributedStates(before, after, {
    claims: serverClaims,
    staticResourcesOf: () => NOTHING,
    all: resourcesOf,
  })
}

const NOTHING: Resources = new Map()

/** Builds the state from contributions, lazily. */
export function buildIpvsState(contributions: () => readonly ServerContribution[]): IpvsState {
  return withLazyArray({}, 'contributions', contributions, { virtualServers: (list) => serversOf(list()) })
}

function serversOf(contributions: readonly ServerContribution[]): readonly VirtualServer[] {
  const byId = new Map<string, VirtualServer>()
  const add = (server: VirtualServer): void => {
    const id = formatVirtualServerId(server)
    if (!byId.has(id)) byId.set(id, server)
  }
  for (const each of contributions) each.virtualServers.forEach(add)
  for (const each of contributions) each.fallbackServers.forEach(add)
  return [...byId.values()]
}

/**
 * Returns the owner of each virtual server, by the id of the virtual server. If several owners claim a virtual server,
 * returns the owner with precedence.
 */
export function findServerOwners({ contributions = [] }: IpvsState): ReadonlyMap<string, string> {
  return findClaimOwners(contributions, SERVER_CLAIMS)
}
