import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { FrontendKind, Plan, ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import { stopsOf } from '@kube-rules/compiler/internal/plan/proxy-claims'
import type { Packet } from '@kube-rules/types'

/** What tells which service ports have to do with a packet. */
export interface PacketPlace extends Pick<Packet, 'destination' | 'destinationPort'> {
  /** Absent: nothing is asked of packets there but what `decide` and `askedByPlan` say. */
  readonly source?: string | undefined
  /** One that is asked about wherever the packet goes. */
  readonly servicePort?: ServicePortId | undefined
}

/**
 * A plan with those service ports only that have to do with a packet: `decide`, `askedByPlan`, `planDifferences` and the
 * explanations of limitations say of it what they say of the whole plan. Takes time in proportion to the plan once, and then
 * to the endpoints of the service ports that claim the place.
 */
export function planAt(plan: Plan): (place: PacketPlace) => Plan {
  const places = new Map(plan.services.map((service, place) => [service, place]))
  const placeOf = (service: ServicePlan) => places.get(service) ?? 0
  const servicesAt = indexOf(plan.services)
  const contending = contendingIn(plan)
  return ({ source, destination, destinationPort, servicePort }) => {
    const claimants = servicesAt([...claimKeys(destination, destinationPort), healthCheckKey(destinationPort)])
    const asked = [
      ...(source === undefined ? [] : askedFrom(source, { destination, destinationPort }, claimants)),
      ...(servicePort === undefined ? [] : [idKey(servicePort)]),
    ]
    const found = new Set([...contending, ...claimants, ...servicesAt(asked)])
    return { ...plan, services: [...found].sort((a, b) => placeOf(a) - placeOf(b)) }
  }
}

/** What explanations ask of a packet beside who claims its destination: whose addresses it has, and of each endpoint the same. */
function askedFrom(
  source: string,
  { destination, destinationPort }: PacketPlace,
  claimants: readonly ServicePlan[],
): readonly string[] {
  const endpoints = claimants.flatMap(({ reachable }) => reachable)
  const calling = endpoints.filter(({ ip }) => ip === source)
  return [
    ...ownerKeys(destination),
    ...endpoints.flatMap(({ ip, port }) => [...claimKeys(ip, port), healthCheckKey(port), ...ownerKeys(ip)]),
    ...ownerKeys(source),
    endpointKey(source, destinationPort),
    ...calling.map(({ ip, port }) => endpointKey(ip, port)),
  ]
}

/** Service ports by what packets may have to do with them. */
function indexOf(services: readonly ServicePlan[]): (keys: readonly string[]) => readonly ServicePlan[] {
  const byKey = new Map<string, ServicePlan[]>()
  for (const service of services) {
    for (const key of keysOf(service)) {
      const known = byKey.get(key)
      if (known === undefined) byKey.set(key, [service])
      else known.push(service)
    }
    // Many service ports may share an address: whether there is one is all that is asked.
    for (const { kind, address } of service.frontends) {
      const key = ownerKey(kind, address)
      if (!byKey.has(key)) byKey.set(key, [service])
    }
  }
  return (keys) => keys.flatMap((key) => byKey.get(key) ?? [])
}

function keysOf({ id, frontends, onThisNode, healthCheckNodePort }: ServicePlan): ReadonlySet<string> {
  return new Set([
    idKey(id),
    ...frontends.map(({ address, port }) => claimKey(address, port)),
    ...onThisNode.map(({ ip, port }) => endpointKey(ip, port)),
    ...(healthCheckNodePort === undefined ? [] : [healthCheckKey(healthCheckNodePort)]),
  ])
}

/** Which others a process has opened depends on those that want the same: they are few. */
function contendingIn(plan: Plan): readonly ServicePlan[] {
  const ids = new Set(stopsOf(plan.services, plan).flatMap(({ id, holder }) => [id, holder]))
  return plan.services.filter(({ id }) => ids.has(id))
}

/** Of the frontends that a packet to an address and port may be for: the address may be the node's. */
function claimKeys(address: string, port: number): readonly string[] {
  return [claimKey(address, port), claimKey(undefined, port)]
}

function ownerKeys(address: string): readonly string[] {
  return WITH_ADDRESS.map((kind) => ownerKey(kind, address))
}

const WITH_ADDRESS: readonly FrontendKind[] = ['clusterIP', 'externalIP', 'loadBalancer']

function idKey({ text, protocol }: ServicePortId): string {
  return `service ${text} ${protocol}`
}

/** Without an address it is a node port. */
function claimKey(address: string | undefined, port: number): string {
  return `claim ${address} ${port}`
}

function ownerKey(kind: FrontendKind, address: string | undefined): string {
  return `${kind} ${address}`
}

function endpointKey(address: string, port: number): string {
  return `endpoint ${address} ${port}`
}

function healthCheckKey(port: number): string {
  return `health ${port}`
}
