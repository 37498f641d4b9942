import { addToGroup } from '@kube-rules/compiler/internal/internal/group-items'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { FrontendKind, Plan, ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import { findPortConflicts } from '@kube-rules/compiler/internal/plan/port-conflicts'
import type { Packet } from '@kube-rules/types'

/** The packet fields that determine the relevant service ports. */
export interface PacketFields extends Pick<Packet, 'destination' | 'destinationPort'> {
  /** The source address. May be absent if the filtered plan is only passed to `decide` and `computePlanReadSet`. */
  readonly source?: string | undefined
  /** A service port to keep in the plan for every packet. */
  readonly servicePort?: ServicePortId | undefined
}

/**
 * Creates a function that reduces the plan to the service ports that are relevant for a packet. With the reduced plan,
 * `decide`, `computePlanReadSet`, `findPlanDifferences` and the explanations of limitations give the same results as
 * with the whole plan. The setup takes time proportional to the size of the plan. Each call takes time proportional to
 * the number of endpoints of the service ports that claim the destination.
 */
export function createPlanFilter(plan: Plan): (place: PacketFields) => Plan {
  const places = new Map(plan.services.map((service, place) => [service, place]))
  const placeOf = (service: ServicePlan) => places.get(service) ?? 0
  const servicesAt = indexOf(plan.services)
  const contending = contendingIn(plan)
  return ({ source, destination, destinationPort, servicePort }) => {
    const claimants = servicesAt([...claimKeys(destination, destinationPort), healthCheckKey(destinationPort)])
    const readSet = [
      ...(source === undefined ? [] : claimantsFor(source, { destination, destinationPort }, claimants)),
      ...(servicePort === undefined ? [] : [idKey(servicePort)]),
    ]
    const services = new Set([...contending, ...claimants, ...servicesAt(readSet)])
    return { ...plan, services: [...services].sort((a, b) => placeOf(a) - placeOf(b)) }
  }
}

/**
 * Returns the keys of further service ports that explanations need: the service ports at the source, at the
 * destination, or at the address of an endpoint of a claimant.
 */
function claimantsFor(
  source: string,
  { destination, destinationPort }: PacketFields,
  claimants: readonly ServicePlan[],
): readonly string[] {
  const endpoints = claimants.flatMap(({ reachable }) => reachable)
  const calling = endpoints.filter(({ ip }) => ip === source)
  return [
    ...ownerKeys(destination),
    ...endpoints.flatMap(({ ip, port }) => [...claimKeys(ip, port), healthCheckKey(port), ...ownerKeys(ip)]),
    ...ownerKeys(source),
    // Without local traffic detection, ipvs mode compares the source, with the destination port, with cluster IPs.
    ...[destinationPort, ...endpoints.map(({ port }) => port)].map((port) => claimKey(source, port)),
    endpointKey(source, destinationPort),
    ...calling.map(({ ip, port }) => endpointKey(ip, port)),
  ]
}

/** Returns a function that finds service ports by the keys of packets that they affect. */
function indexOf(services: readonly ServicePlan[]): (keys: readonly string[]) => readonly ServicePlan[] {
  const byKey = new Map<string, ServicePlan[]>()
  for (const service of services) {
    for (const key of keysOf(service)) addToGroup(byKey, key, service)
    // Only the first service port of an address is indexed here. It is enough to show that the address belongs to a
    // Service.
    for (const { kind, address } of service.frontends) {
      const key = ownerKey(kind, address)
      if (!byKey.has(key)) byKey.set(key, [service])
    }
  }
  return (keys) => keys.flatMap((key) => byKey.get(key) ?? [])
}

function keysOf({ id, frontends, localEndpoints, healthCheckNodePort }: ServicePlan): ReadonlySet<string> {
  return new Set([
    idKey(id),
    ...frontends.map(({ address, port }) => claimKey(address, port)),
    ...localEndpoints.map(({ ip, port }) => endpointKey(ip, port)),
    ...(healthCheckNodePort === undefined ? [] : [healthCheckKey(healthCheckNodePort)]),
  ])
}

/**
 * Returns the (few) service ports with a local port conflict in the userspace proxy. They are always relevant, because
 * a conflict also affects the other ports of the userspace proxy.
 */
function contendingIn(plan: Plan): readonly ServicePlan[] {
  const ids = new Set(findPortConflicts(plan.services, plan).flatMap(({ id, holder }) => [id, holder]))
  return plan.services.filter(({ id }) => ids.has(id))
}

/**
 * Returns the keys of all frontends that may claim an address and port: a frontend at this address, and a node port,
 * because the address may be local.
 */
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

/** Returns the key of an address and port that a frontend claims. Without an address, the key is for a node port. */
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
