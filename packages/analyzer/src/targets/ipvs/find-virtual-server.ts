import type { Frontend, Plan, ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import type { Endpoint } from '../shared/packet-walk.js'
import { findNodePortAddresses } from './local-addresses.js'

/** A virtual server that follows from a plan. */
export interface VirtualServerOfPlan {
  readonly id: ServicePlan['id']
  /** The real servers. All clients share them: those of the clause that applies to every client. */
  readonly endpoints: readonly Endpoint[]
}

/** Returns the virtual server of a packet; undefined if there is none. */
export function findVirtualServer(plan: Plan, packet: Packet): VirtualServerOfPlan | undefined {
  const { destination, destinationPort: port } = packet
  const isAddress = (each: Frontend) => each.address === destination && each.port === port
  const servesNodePorts = findNodePortAddresses(plan).includes(destination)
  const isNodePort = (each: Frontend) => servesNodePorts && each.kind === 'nodePort' && each.port === port
  const found = findFrontend(plan, packet, isAddress, isNodePort) ?? findFrontend(plan, packet, isNodePort, isNodePort)
  return found && { id: found.service.id, endpoints: findRealServers(plan, found) }
}

function findRealServers(plan: Plan, { service, frontend }: FrontendOfService): VirtualServerOfPlan['endpoints'] {
  const action = frontend.clauses.at(-1)?.action
  if (action?.kind === 'drop') return plan.kernel.features.localFallsBack ? service.pools.cluster : []
  return action?.kind === 'pool' ? service.pools[action.pool] : []
}

interface FrontendOfService {
  readonly service: ServicePlan
  readonly frontend: Frontend
}

/**
 * Returns the first service port with a frontend that satisfies `matches`, and its last such frontend, which replaces
 * the real servers of the earlier ones. A frontend that satisfies `replaces` counts as well.
 */
function findFrontend(
  { services }: Plan,
  { protocol }: Packet,
  matches: (frontend: Frontend) => boolean,
  replaces: (frontend: Frontend) => boolean,
): FrontendOfService | undefined {
  const service = services.find(({ id, frontends }) => id.protocol === protocol && frontends.some(matches))
  const frontend = service?.frontends.filter((each) => matches(each) || replaces(each)).at(-1)
  return service && frontend && { service, frontend }
}
