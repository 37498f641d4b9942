import { joinHostPort } from '@kube-rules/types'
import type { ServicePortId } from '../model/services/service-port.js'
import type { Frontend, Plan, PlanFrame, ServicePlan } from './plan.js'

/** A service port that the process does not open to the end, because another one has what it wants. */
export interface Stop {
  readonly id: ServicePortId
  /** The place of the first of its frontends that is not opened; none after that is, either. */
  readonly place: number
  /** What it wanted: `node port 30080/TCP`, `192.168.0.2:80/TCP`. */
  readonly wanted: string
  readonly holder: ServicePortId
}

/**
 * Where the process that takes connections stops, of service ports in the plan's order. It reserves node ports, and external
 * and load-balancer IPs that are addresses of the node: of several service ports that want the same the first gets it, and the
 * others end there. Mirrors `claimNodePort` and `openOnePortal` of the userspace proxier of kube-proxy v1.20, which leaves to
 * chance who comes first.
 */
export function stopsOf(
  services: Iterable<Pick<ServicePlan, 'id' | 'frontends'>>,
  { node, connectionsTaken }: Pick<PlanFrame, 'node' | 'connectionsTaken'>,
): readonly Stop[] {
  if (!connectionsTaken) return []
  const own = new Set(node.addresses.map(({ address }) => address))
  const holders = new Map<string, ServicePortId>()
  const stops: Stop[] = []
  for (const { id, frontends } of services) {
    for (const [place, frontend] of frontends.entries()) {
      const wanted = claimOf(frontend, id, own)
      if (wanted === undefined) continue
      const holder = holders.get(wanted) ?? id
      holders.set(wanted, holder)
      if (holder === id) continue
      stops.push({ id, place, wanted, holder })
      break
    }
  }
  return stops
}

/** What the process reserves for a frontend; undefined for nothing. */
function claimOf(
  { kind, address, port }: Frontend,
  { protocol }: ServicePortId,
  own: ReadonlySet<string>,
): string | undefined {
  if (address === undefined) return `node port ${port}/${protocol}`
  return kind !== 'clusterIP' && own.has(address) ? `${joinHostPort(address, port)}/${protocol}` : undefined
}

/** The plan with those frontends alone that are opened. The same where no process takes connections, or all are. */
export function openedPlan(plan: Plan): Plan {
  const places = new Map(stopsOf(plan.services, plan).map(({ id, place }) => [id, place]))
  if (places.size === 0) return plan
  const services = plan.services.map((service) => {
    const place = places.get(service.id)
    return place === undefined ? service : { ...service, frontends: service.frontends.slice(0, place) }
  })
  return { ...plan, services }
}
