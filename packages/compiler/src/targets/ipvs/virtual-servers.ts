import { joinHostPort } from '@kube-rules/types/internal/ip'
import { FLAG_PERSISTENT, type RealServer, type VirtualServer } from '../../dataplane/ipvs/ast.js'
import { mapList } from '../../internal/map-list.js'
import type { Features } from '../../model/configuration/features.js'
import type { Endpoint } from '../../model/endpoints/endpoint.js'
import { defaultClauseOf } from '../../plan/frontend.js'
import type { EndpointPoolName, Frontend, ServicePlan } from '../../plan/plan.js'
import { hasLowerPrecedence } from '../../plan/precedence.js'
import type { LoweringContext } from './lowering-context.js'

/** Returns the addresses of a frontend. For a node port, these are the addresses that serve node ports. */
function addressesOfFrontend(frontend: Frontend, lowering: LoweringContext): readonly string[] {
  return frontend.address === undefined ? lowering.nodePortAddresses : [frontend.address]
}

/**
 * Returns the pool that provides the real servers of a frontend: the pool of the last clause, which applies to every
 * client. If the last clause drops because there are no local endpoints, the pool is the whole cluster, and in old
 * versions the empty local pool. If the last clause rejects, there is no pool. Mirrors the choice in `syncEndpoint` of
 * kube-proxy v1.30.
 */
export function endpointPoolOf(frontend: Frontend, { localFallsBack }: Features): EndpointPoolName | undefined {
  const { action: then } = defaultClauseOf(frontend)
  if (then.kind === 'drop') return localFallsBack ? 'cluster' : 'local'
  return then.kind === 'pool' ? then.pool : undefined
}

/** The virtual servers of one service port. */
export interface ServiceVirtualServers {
  readonly virtualServers: readonly VirtualServer[]
  /** Virtual servers at node addresses, with lower precedence than virtual servers at Service addresses. */
  readonly fallbackServers: readonly VirtualServer[]
}

/**
 * Returns one virtual server for each address and port of the frontends. If several frontends have the same address and
 * port, the last one determines the real servers, as in `syncProxyRules` of kube-proxy. Virtual servers with the same
 * pool share a list of real servers.
 */
export function createServiceVirtualServers(service: ServicePlan, lowering: LoweringContext): ServiceVirtualServers {
  const realServers = realServersByPool(service)
  const ordinary = new Map<string, VirtualServer>()
  const yielding = new Map<string, VirtualServer>()
  for (const frontend of service.frontends) {
    const pool = endpointPoolOf(frontend, lowering.features)
    const servers = pool === undefined ? NO_SERVERS : realServers[pool]
    for (const address of addressesOfFrontend(frontend, lowering)) {
      const key = joinHostPort(address, frontend.port)
      const isYielding = hasLowerPrecedence(frontend) && !ordinary.has(key)
      const list = isYielding ? yielding : ordinary
      list.set(key, virtualServer(service, frontend, address, servers, lowering))
    }
  }
  return { virtualServers: serversOf(ordinary), fallbackServers: serversOf(yielding) }
}

function serversOf(servers: ReadonlyMap<string, VirtualServer>): readonly VirtualServer[] {
  return servers.size === 0 ? NO_VIRTUAL_SERVERS : Array.from(servers.values())
}

const NO_VIRTUAL_SERVERS: readonly VirtualServer[] = []

const NO_SERVERS: readonly RealServer[] = []

function virtualServer(
  { id, affinitySeconds }: ServicePlan,
  { port }: Frontend,
  address: string,
  realServers: readonly RealServer[],
  { scheduler, flags }: LoweringContext,
): VirtualServer {
  const persistent = affinitySeconds === undefined ? 0 : FLAG_PERSISTENT
  return {
    address,
    port,
    protocol: id.protocol,
    scheduler,
    flags: flags | persistent,
    timeout: affinitySeconds ?? 0,
    realServers,
  }
}

function realServersByPool({ pools }: ServicePlan): Readonly<Record<EndpointPoolName, readonly RealServer[]>> {
  return { cluster: realServers(pools.cluster), local: realServers(pools.local) }
}

function realServers(endpoints: readonly Endpoint[]): readonly RealServer[] {
  if (endpoints.length === 0) return NO_SERVERS
  return mapList(endpoints, ({ ip, port }) => ({ address: ip, port, forwarding: 'masquerade', weight: 1 }))
}
