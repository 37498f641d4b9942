import { addToGroup } from '@kube-rules/compiler/internal/internal/group-items'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { isLoopback } from '@kube-rules/types/internal/ip'
import type { OutcomeDistribution } from '../plan/outcome-distribution.js'
import { servicePortsOfSide } from './class-key.js'
import type { PacketClass } from './classes.js'

/**
 * Returns a function from the address of a destination to its occupant, for classes with the same results as the given
 * class. The occupant is the node, if its packets no longer reach it on the second side, or another Service or an
 * endpoint with the same address, if the second side takes the destination over. Undefined for any other destination.
 */
export type OccupantLookup = (packetClass: PacketClass) => (destination: string) => string | undefined

/** The occupant of an address of the node, if packets to it reached the node itself. */
export const NODE_AS_OCCUPANT = 'the node'

/** Creates the lookup from the plan of the first side. Without a plan, only the node can be an occupant. */
export function createOccupantLookup(plan: Plan | undefined): OccupantLookup {
  const users = createLazyGetter(() => indexAddressUsers(plan))
  return (packetClass) => {
    const next = [...new Set(servicePortsOfSide(packetClass, 'b').map(serviceOf))]
    const isFromNode = isTakenFromNode(packetClass)
    // Without a Service on the second side, the rules reject or drop the packets of the node.
    if (next.length === 0) {
      return (destination) => (isFromNode && users().ofNode.has(destination) ? NODE_AS_OCCUPANT : undefined)
    }
    return (destination) => {
      if (isLoopback(destination)) return undefined
      if (isFromNode) return NODE_AS_OCCUPANT
      const { services, endpoints } = users()
      const owners = services.get(destination) ?? []
      if (next.every((service) => owners.includes(service))) return undefined
      const [owner] = owners
      return owner ?? endpoints.get(destination)
    }
  }
}

/** The Services with an address, the endpoints by address, and the addresses of the node. */
interface AddressUsers {
  readonly ofNode: ReadonlySet<string>
  readonly services: ReadonlyMap<string, readonly string[]>
  readonly endpoints: ReadonlyMap<string, string>
}

function indexAddressUsers(plan: Plan | undefined): AddressUsers {
  const [services, endpoints] = [new Map<string, string[]>(), new Map<string, string>()]
  for (const { id, frontends, endpoints: known } of plan?.services ?? []) {
    const service = `${id.namespace}/${id.name}`
    for (const { address } of frontends) if (address !== undefined) addToGroup(services, address, service)
    for (const { ip } of known) endpoints.set(ip, `an endpoint of ${service}`)
  }
  const ofNode = new Set(plan?.node.addresses.map(({ address }) => address).filter((each) => !isLoopback(each)))
  return { ofNode, services, endpoints }
}

/** Reports whether packets to the node are for the node on the first side only. */
function isTakenFromNode({ a, b }: PacketClass): boolean {
  return isToNode(a().distribution()) && !isToNode(b().distribution())
}

function isToNode(distribution: OutcomeDistribution): boolean {
  return Array.from(distribution.values()).some(({ outcome }) => outcome.kind === 'unmatched' && outcome.to === 'node')
}

/** Returns the Service of a service port: `shop/web` for `shop/web:http/TCP`. */
function serviceOf(servicePort: string): string {
  const [namespace = '', port = ''] = servicePort.split('/')
  return `${namespace}/${port.split(':', 1)[0]}`
}
