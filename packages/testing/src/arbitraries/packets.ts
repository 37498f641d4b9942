import type { Plan, ServicePlan } from '@kube-rules/compiler/plan'
import type { IpFamily, Packet, Protocol } from '@kube-rules/types'
import { isLoopback } from '@kube-rules/types/internal/ip'
import fc from 'fast-check'
import { anyOf, oneOf, type Weighted } from './weighted.js'

// Packets that are relevant to a plan. Seven of ten go to one of its frontends, usually one with endpoints; their
// sources are those that rules distinguish.

/** Additional sources and destinations. */
const OTHERS: Readonly<Record<IpFamily, readonly string[]>> = {
  IPv4: ['203.0.113.2', '198.51.100.77', '10.244.1.99', '127.0.0.1', '192.0.2.7', '192.168.0.2'],
  IPv6: ['2001:db8:ffff::1', 'fd00:244:1::99', '::1', '2001:db8::2'],
}

const LOOPBACK: Readonly<Record<IpFamily, string>> = { IPv4: '127.0.0.1', IPv6: '::1' }

interface Destination {
  readonly destination: string
  readonly destinationPort: number
  readonly protocol: Protocol
  readonly service?: ServicePlan | undefined
}

/**
 * Generates packets to the frontends, node ports and health-check ports of the plan, and elsewhere; from its endpoints,
 * the node and elsewhere. Only the node uses loopback addresses and its own addresses, as the kernel requires.
 */
export function anyPacket(plan: Plan): fc.Arbitrary<Packet> {
  const origin = oneOf<Packet['origin']>([2, 'pod'], [1, 'node'], [2, 'outside'])
  const inInterface = oneOf([2, 'cbr0'], [2, 'veth12'], [2, 'eth0'])
  const originsOf = (service: ServicePlan | undefined) => fc.tuple(sourcesOf(plan, service), origin, inInterface)
  // Created once per service port, because a property test may use a hundred thousand packets.
  const elsewhere = originsOf(undefined)
  const origins = new Map(plan.services.map((service) => [service, originsOf(service)]))
  return destinationsOf(plan)
    .chain(({ service, destination, destinationPort, protocol }) =>
      ((service && origins.get(service)) ?? elsewhere).map(([source, from, through]): Packet => {
        return { destination, destinationPort, protocol, source, origin: from, inInterface: through }
      }),
    )
    .map(onOneNode(plan))
}

function destinationsOf(plan: Plan): fc.Arbitrary<Destination> {
  const frontends = plan.services.flatMap((service) => service.frontends.map((frontend) => ({ service, frontend })))
  const served = frontends.filter(({ service }) => service.reachable.length > 0)
  const limited = served.filter(({ frontend }) => frontend.allowedSources !== undefined)
  const unserved = frontends.filter(({ service }) => service.reachable.length === 0)
  const healthChecks = plan.services.flatMap(({ healthCheckNodePort }) => healthCheckNodePort ?? [])
  const addresses = [
    ...addressesOf(plan),
    ...frontends.flatMap(({ frontend }) => frontend.address ?? []),
    ...OTHERS[plan.family],
  ]
  const ports = [80, 53, ...frontends.map(({ frontend }) => frontend.port), ...healthChecks]
  const nodePort = nodePortAddresses(plan)
  const atFrontend = ({ service, frontend }: (typeof frontends)[number]): fc.Arbitrary<Destination> => {
    const [destinationPort, protocol] = [frontend.port, service.id.protocol]
    const addresses = frontend.address === undefined ? nodePort : fc.constant(frontend.address)
    return addresses.map((destination) => ({ destination, destinationPort, protocol, service }))
  }
  const toHealthCheck = fc.record({
    destination: fc.constantFrom(...addressesOf(plan), ...addresses),
    destinationPort: fc.constantFrom(0, ...healthChecks),
    protocol: fc.constant<Protocol>('TCP'),
  })
  const anywhere = fc.record({
    destination: fc.constantFrom(...addresses),
    destinationPort: fc.constantFrom(...ports),
    protocol: fc.constantFrom<Protocol>('TCP', 'UDP', 'SCTP'),
  })
  return anyOf<Destination>(
    ...whereAny(served, 13, (some) => fc.constantFrom(...some).chain(atFrontend)),
    ...whereAny(limited, 4, (some) => fc.constantFrom(...some).chain(atFrontend)),
    ...whereAny(unserved, 3, (some) => fc.constantFrom(...some).chain(atFrontend)),
    ...whereAny(healthChecks, 4, () => toHealthCheck),
    [4, anywhere],
  )
}

function whereAny<T, U>(
  items: readonly T[],
  weight: number,
  make: (items: readonly T[]) => fc.Arbitrary<U>,
): readonly Weighted<fc.Arbitrary<U>>[] {
  return items.length === 0 ? [] : [[weight, make(items)]]
}

/** Generates addresses of the node for node ports, usually the node-port addresses of the plan. */
function nodePortAddresses(plan: Plan): fc.Arbitrary<string> {
  const own = addressesOf(plan)
  const serving = plan.nodePorts.all ? own : plan.nodePorts.addresses
  return anyOf<string>(
    ...whereAny(serving, 5, (some) => fc.constantFrom(...some)),
    ...whereAny(own, 1, (some) => fc.constantFrom(...some)),
    [1, fc.constant(LOOPBACK[plan.family])],
  )
}

function addressesOf({ node }: Plan): readonly string[] {
  return node.addresses.map(({ address }) => address)
}

/** Generates sources that routes, hairpins and source ranges distinguish. */
function sourcesOf(plan: Plan, service: ServicePlan | undefined): fc.Arbitrary<string> {
  const endpoints = (some: readonly ServicePlan[]) => some.flatMap(({ endpoints: all }) => all.map(({ ip }) => ip))
  const ranges = (service?.frontends ?? []).flatMap(({ allowedSources }) => allowedSources?.ranges ?? [])
  const own = (service?.frontends ?? []).flatMap(({ kind, address }) => (kind === 'loadBalancer' && address) || [])
  const frontends = plan.services.flatMap((each) => each.frontends.flatMap(({ address }) => address ?? []))
  return anyOf<string>(
    [4, fc.constantFrom(...OTHERS[plan.family])],
    ...whereAny(endpoints(service === undefined ? [] : [service]), 3, (some) => fc.constantFrom(...some)),
    ...whereAny(endpoints(plan.services), 2, (some) => fc.constantFrom(...some)),
    ...whereAny(ranges, 3, (some) => fc.constantFrom(...some.map(({ address }) => address))),
    // If source ranges of a Service include this node, they also include the load-balancer IPs of the Service.
    ...whereAny(ranges.length > 0 ? own : [], 3, (some) => fc.constantFrom(...some)),
    ...whereAny(addressesOf(plan), 2, (some) => fc.constantFrom(...some)),
    ...whereAny(frontends, 1, (some) => fc.constantFrom(...some)),
  )
}

function onOneNode(plan: Plan): (packet: Packet) => Packet {
  const own = new Set(addressesOf(plan))
  return (packet) => {
    if (isLoopback(packet.destination)) return madeHere({ ...packet, source: LOOPBACK[plan.family] })
    const isMadeHere = packet.origin === 'node' || isLoopback(packet.source) || own.has(packet.source)
    return isMadeHere ? madeHere(packet) : packet
  }
}

function madeHere({ inInterface: _, ...packet }: Packet): Packet {
  return { ...packet, origin: 'node' }
}
