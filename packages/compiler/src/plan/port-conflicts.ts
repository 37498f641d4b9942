import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { ServicePortId } from '../model/services/service-port.js'
import type { Frontend, Plan, PlanHeader, ServicePlan } from './plan.js'

/**
 * A service port with frontends that the userspace proxy does not open, because the port of the first of these
 * frontends is already reserved for another service port.
 */
export interface PortConflict {
  readonly id: ServicePortId
  /** The index of the first unopened frontend of the service port; later frontends are not opened either. */
  readonly place: number
  /** The port that another service port has reserved: `node port 30080/TCP`, `192.168.0.2:80/TCP`. */
  readonly expected: string
  readonly holder: ServicePortId
}

/**
 * Returns the port conflicts in the userspace proxy, in the order of the service ports in the plan. The userspace proxy
 * reserves node ports, and the ports of external IPs and load-balancer IPs that are addresses of the node. The first
 * service port that claims a port gets it. Every later claimant opens neither the frontend with this port nor its
 * frontends after it. Mirrors `claimNodePort` and `openOnePortal` of the userspace proxier of kube-proxy v1.20, where
 * the order of service ports is random.
 */
export function findPortConflicts(
  services: Iterable<Pick<ServicePlan, 'id' | 'frontends'>>,
  { node, connectionsTaken }: Pick<PlanHeader, 'node' | 'connectionsTaken'>,
): readonly PortConflict[] {
  if (!connectionsTaken) return []
  const own = new Set(node.addresses.map(({ address }) => address))
  const holders = new Map<string, ServicePortId>()
  const stops: PortConflict[] = []
  for (const { id, frontends } of services) {
    for (const [place, frontend] of frontends.entries()) {
      const expected = claimOf(frontend, id, own)
      if (expected === undefined) continue
      const holder = holders.get(expected) ?? id
      holders.set(expected, holder)
      if (holder === id) continue
      stops.push({ id, place, expected, holder })
      break
    }
  }
  return stops
}

/** Returns the port that the userspace proxy reserves for a frontend; undefined if it reserves no port for the frontend. */
function claimOf(
  { kind, address, port }: Frontend,
  { protocol }: ServicePortId,
  own: ReadonlySet<string>,
): string | undefined {
  if (address === undefined) return `node port ${port}/${protocol}`
  return kind !== 'clusterIP' && own.has(address) ? `${joinHostPort(address, port)}/${protocol}` : undefined
}

/**
 * Returns the plan without the frontends that the userspace proxy does not open because of port conflicts. Returns the
 * plan unchanged in other modes, and if there are no port conflicts.
 */
export function selectOpenedFrontends(plan: Plan): Plan {
  const places = new Map(findPortConflicts(plan.services, plan).map(({ id, place }) => [id, place]))
  if (places.size === 0) return plan
  const services = plan.services.map((service) => {
    const place = places.get(service.id)
    return place === undefined ? service : { ...service, frontends: service.frontends.slice(0, place) }
  })
  return { ...plan, services }
}
