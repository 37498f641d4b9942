import { type IpFamily, isLoopback, type Packet } from '@kube-rules/types'
import fc from 'fast-check'
import type { Plan } from '../../src/plan/plan.js'

/** Sources and destinations beside those of the plan. */
const OTHERS: Readonly<Record<IpFamily, readonly string[]>> = {
  IPv4: ['203.0.113.2', '198.51.100.77', '10.244.1.99', '127.0.0.1', '192.0.2.7', '192.168.0.2'],
  IPv6: ['2001:db8:ffff::1', 'fd00:244:1::99', '::1', '2001:db8::2'],
}

const LOOPBACK: Readonly<Record<IpFamily, string>> = { IPv4: '127.0.0.1', IPv6: '::1' }

/**
 * Packets that have to do with a plan: to its frontends, node ports and health-check ports, from its endpoints, the node
 * and elsewhere. Loopback addresses are used on the node only, as the kernel demands.
 */
export function packetsFor(plan: Plan): fc.Arbitrary<Packet> {
  const own = plan.node.addresses.map(({ address }) => address)
  const frontends = plan.services.flatMap(({ id, frontends }) => frontends.map((frontend) => ({ id, frontend })))
  const healthChecks = plan.services.flatMap((service) => service.healthCheckNodePort ?? [])
  const endpoints = plan.services.flatMap((service) => service.endpoints.map(({ ip }) => ip))
  const addresses = [...own, ...frontends.flatMap(({ frontend }) => frontend.address ?? []), ...OTHERS[plan.family]]
  const ports = [80, ...frontends.map(({ frontend }) => frontend.port), ...healthChecks]
  return fc
    .record({
      frontend: fc.constantFrom(undefined, ...frontends, ...frontends, ...healthChecks.map(healthCheckFrontend)),
      destination: fc.constantFrom(...addresses),
      port: fc.constantFrom(...ports),
      protocol: fc.constantFrom('TCP' as const, 'UDP' as const, 'SCTP' as const),
      source: fc.constantFrom(...endpoints, ...addresses),
      origin: fc.constantFrom('pod' as const, 'node' as const, 'outside' as const),
      inInterface: fc.constantFrom('cbr0', 'veth12', 'eth0'),
    })
    .map(({ frontend, destination, port, protocol, ...rest }) => ({
      ...rest,
      protocol: frontend?.id.protocol ?? protocol,
      destination: frontend?.frontend.address ?? destination,
      destinationPort: frontend?.frontend.port ?? port,
    }))
    .map(onOneNode(plan.family))
}

function onOneNode(family: IpFamily): (packet: Packet) => Packet {
  return (packet) => {
    if (isLoopback(packet.destination)) return madeHere({ ...packet, source: LOOPBACK[family] })
    return packet.origin === 'node' || isLoopback(packet.source) ? madeHere(packet) : packet
  }
}

function madeHere({ inInterface: _, ...packet }: Packet): Packet {
  return { ...packet, origin: 'node' }
}

function healthCheckFrontend(port: number) {
  return { id: { protocol: 'TCP' as const }, frontend: { address: undefined, port } }
}
