import type { IpFamily, Packet } from '@kube-rules/types'
import fc from 'fast-check'
import { serviceAddress } from './cluster.js'
import { wordsFor } from './random-rules.js'
import { ADDRESSES, HOST, type Place } from './topology.js'

// Random packets through the node of `topology`, to addresses and ports that random rules and Services name.

export const PLACES = ['client', 'node', 'pod1', 'pod2', 'pod3', 'other'] as const
/** Packets of the third pod pass the node only if they are not for `other`, so it sends none. */
const SENDERS = ['client', 'node', 'pod1', 'pod2', 'other'] as const
/** The addresses of the node. */
export const OWN = HOST.interfaces?.flatMap(({ addresses }) => addresses.map((each) => each.split('/')[0] ?? '')) ?? []
/** An address that `other` accepts if no rule translates it, as all addresses of Services. A Service has it for IPv4. */
const FRONTEND = '203.0.113.1'

/** What all packets of one case have in common. */
export interface Kind {
  readonly family: IpFamily
  readonly protocol: 'TCP' | 'UDP'
}

export const KINDS: readonly Kind[] = (['IPv4', 'IPv6'] as const).flatMap((family) =>
  (['TCP', 'UDP'] as const).map((protocol) => ({ family, protocol })),
)

export interface Sent {
  readonly from: (typeof SENDERS)[number]
  readonly packet: Packet
}

export type Destination = readonly [address: (family: IpFamily) => string, port: number]

const PORTS = [80, 80, 81, 8080]
/** Destinations that random rules name. */
export const OTHERS: readonly Destination[] = [
  ...['10.244.1.11', '10.244.1.12', '198.18.0.2', '192.0.2.1', '198.18.0.1', FRONTEND, FRONTEND],
].flatMap((address) => PORTS.map((port): Destination => [(family) => wordsFor(address, family, 'UDP'), port]))

const SERVICE_NAMES = ['web', 'self', 'sticky', 'empty', 'local', 'inside', 'ranged'] as const
/** Destinations of Services of the cluster. */
export const SERVICES: readonly Destination[] = [
  ...SERVICE_NAMES.map((name): Destination => [(family) => serviceAddress('clusterIP', name, family), 80]),
  ...(['web', 'local', 'ranged'] as const).map(
    (name): Destination => [(family) => serviceAddress('loadBalancer', name, family), 80],
  ),
  ...[30080, 30053, 30090, 30100].map((port): Destination => [(family) => ADDRESSES.node[family], port]),
  ...(['dns', 'flow'] as const).map((name): Destination => [(family) => serviceAddress('clusterIP', name, family), 53]),
]

/** Draws thirty packets, without those that would not pass the node. Their source ports differ. */
export function packetsOf(
  { family, protocol }: Kind,
  destinations: readonly Destination[],
): fc.Arbitrary<readonly Sent[]> {
  const drawn = fc.record({
    from: fc.constantFrom(...SENDERS, 'pod1' as const, 'node' as const),
    to: fc.constantFrom(...destinations),
  })
  return fc.array(drawn, { minLength: 30, maxLength: 30 }).map((all) =>
    all.flatMap(({ from, to: [address, destinationPort] }, at): readonly Sent[] => {
      const destination = address(family)
      if (placeOf(destination) === from && from !== 'node') return []
      const source = ADDRESSES[from][family]
      const sourcePort = 20_000 + at
      const sent = { protocol, source, sourcePort, destination, destinationPort }
      if (from === 'node') return [{ from, packet: { ...sent, origin: 'node' } }]
      const isPod = from.startsWith('pod')
      const inInterface = isPod ? from : from === 'client' ? 'ext' : 'uplink'
      return [{ from, packet: { ...sent, origin: isPod ? 'pod' : 'outside', inInterface } }]
    }),
  )
}

/** Returns the place that accepts packets to an address. */
export function placeOf(address: string): Place {
  const place = PLACES.find((name) => Object.values(ADDRESSES[name]).includes(address))
  return place ?? (OWN.includes(address) ? 'node' : 'other')
}
