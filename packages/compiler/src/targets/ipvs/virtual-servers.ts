import { FLAG_PERSISTENT, type RealServer, type VirtualServer } from '../../dataplane/ipvs/ast.js'
import type { Endpoint } from '../../model/model.js'
import type { Frontend, PoolName, ServicePlan } from '../../plan/plan.js'
import type { Lowering } from './lowering.js'

/** The addresses of a frontend: its own, or those on which node ports are served. */
export function addressesOf(frontend: Frontend, lowering: Lowering): readonly string[] {
  return frontend.address === undefined ? lowering.nodePortAddresses : [frontend.address]
}

/**
 * The pool whose endpoints are the real servers of a frontend: that of its last clause, which is what any client comes
 * to. Where the route drops for want of local endpoints it is the whole cluster, and where it rejects there is none.
 * Mirrors the choice in `syncEndpoint` of kube-proxy v1.30.
 */
export function poolOf({ route }: Frontend): PoolName | undefined {
  const verdict = route.at(-1)?.then
  if (verdict?.to === 'drop') return 'cluster'
  return verdict?.to === 'pool' ? verdict.pool : undefined
}

/** The virtual servers of some frontends of one service port, one for each address. */
export function virtualServers(
  service: ServicePlan,
  frontends: readonly Frontend[],
  lowering: Lowering,
): readonly VirtualServer[] {
  const realServers = realServersByPool(service)
  return frontends.flatMap((frontend) => {
    const pool = poolOf(frontend)
    const servers = pool === undefined ? [] : realServers[pool]
    return addressesOf(frontend, lowering).map((address) =>
      virtualServer(service, frontend, address, servers, lowering),
    )
  })
}

function virtualServer(
  { id, affinitySeconds }: ServicePlan,
  { port }: Frontend,
  address: string,
  realServers: readonly RealServer[],
  { scheduler, flags }: Lowering,
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

function realServersByPool({ pools }: ServicePlan): Readonly<Record<PoolName, readonly RealServer[]>> {
  return { cluster: pools.cluster.map(realServer), local: pools.local.map(realServer) }
}

function realServer({ ip, port }: Endpoint): RealServer {
  return { address: ip, port, forwarding: 'masquerade', weight: 1 }
}
