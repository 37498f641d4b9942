import type { IpFamily, Packet } from '@kube-rules/types'
import { type ServiceName, serviceAddress } from './cluster.js'
import { ADDRESSES, type Place, SECOND_CLIENT } from './topology.js'

/** A packet to send, with its expected outcome. */
export interface PacketCase {
  readonly name: string
  readonly from: Place
  /** Default: the address of the place. */
  readonly source?: ((family: IpFamily) => string) | undefined
  readonly to: (family: IpFamily) => string
  readonly port: number
  readonly protocol?: Packet['protocol'] | undefined
  /**
   * The outcome: `reject`, `drop`, or the places that may respond. An asterisk marks a place that sees an address of
   * the node as the source instead of the address of the sender.
   */
  readonly expected: string
  /** The outcome in nftables mode, if it differs. */
  readonly inNftables?: string | undefined
  /** The address families. Default: both. */
  readonly family?: IpFamily | undefined
}

const ANY_MASQUERADED = 'pod1* pod2* pod3*'

const clusterIP = (name: ServiceName) => (family: IpFamily) => serviceAddress('clusterIP', name, family)
const externalIP = (name: ServiceName) => (family: IpFamily) => serviceAddress('externalIP', name, family)
const loadBalancer = (name: ServiceName) => (family: IpFamily) => serviceAddress('loadBalancer', name, family)
const node = (family: IpFamily) => ADDRESSES.node[family]
const secondClient = (family: IpFamily) => SECOND_CLIENT[family]
const localhost = () => '127.0.0.1'

export const PACKET_CASES: readonly PacketCase[] = [
  { name: 'a pod to a cluster IP', from: 'pod2', to: clusterIP('web'), port: 80, expected: 'pod1 pod2* pod3' },
  { name: 'a client to a cluster IP', from: 'client', to: clusterIP('web'), port: 80, expected: ANY_MASQUERADED },
  { name: 'the node to a cluster IP', from: 'node', to: clusterIP('web'), port: 80, expected: ANY_MASQUERADED },
  { name: 'a client to a node port', from: 'client', to: node, port: 30080, expected: ANY_MASQUERADED },
  { name: 'a pod to a node port', from: 'pod1', to: node, port: 30080, expected: ANY_MASQUERADED },
  { name: 'the node to its node port', from: 'node', to: node, port: 30080, expected: ANY_MASQUERADED },
  {
    name: 'the node to a node port of its loopback address',
    from: 'node',
    source: localhost,
    to: localhost,
    port: 30080,
    expected: ANY_MASQUERADED,
    inNftables: 'reject',
    family: 'IPv4',
  },
  { name: 'a client to an external IP', from: 'client', to: externalIP('web'), port: 80, expected: ANY_MASQUERADED },
  { name: 'a pod to an external IP', from: 'pod1', to: externalIP('web'), port: 80, expected: ANY_MASQUERADED },
  { name: 'a client to a load balancer', from: 'client', to: loadBalancer('web'), port: 80, expected: ANY_MASQUERADED },
  {
    name: 'a pod by UDP to a cluster IP',
    from: 'pod2',
    to: clusterIP('dns'),
    port: 53,
    protocol: 'UDP',
    expected: 'pod1 pod2* pod3',
  },
  {
    name: 'a client by UDP to a node port',
    from: 'client',
    to: node,
    port: 30053,
    protocol: 'UDP',
    expected: ANY_MASQUERADED,
  },
  {
    name: 'a pod by SCTP to a cluster IP',
    from: 'pod2',
    to: clusterIP('signal'),
    port: 3868,
    protocol: 'SCTP',
    expected: 'pod1 pod2* pod3',
  },
  {
    name: 'a client by SCTP to a cluster IP',
    from: 'client',
    to: clusterIP('signal'),
    port: 3868,
    protocol: 'SCTP',
    expected: ANY_MASQUERADED,
  },
  { name: 'the only endpoint to its own cluster IP', from: 'pod1', to: clusterIP('self'), port: 80, expected: 'pod1*' },

  {
    name: 'a pod to a cluster IP without endpoints',
    from: 'pod1',
    to: clusterIP('empty'),
    port: 80,
    expected: 'reject',
  },
  {
    name: 'a client to a cluster IP without endpoints',
    from: 'client',
    to: clusterIP('empty'),
    port: 80,
    expected: 'reject',
  },
  {
    name: 'the node to a cluster IP without endpoints',
    from: 'node',
    to: clusterIP('empty'),
    port: 80,
    expected: 'reject',
  },
  {
    name: 'a pod by UDP to a cluster IP without endpoints',
    from: 'pod1',
    to: clusterIP('empty'),
    port: 53,
    protocol: 'UDP',
    expected: 'reject',
  },
  { name: 'a client to a node port without endpoints', from: 'client', to: node, port: 30040, expected: 'reject' },

  { name: 'a client to a node port with policy Local', from: 'client', to: node, port: 30090, expected: 'pod1' },
  { name: 'a pod to a node port with policy Local', from: 'pod2', to: node, port: 30090, expected: 'pod1 pod3' },
  {
    name: 'a client to a load balancer with policy Local',
    from: 'client',
    to: loadBalancer('local'),
    port: 80,
    expected: 'pod1',
  },
  {
    name: 'a pod to a load balancer with policy Local',
    from: 'pod2',
    to: loadBalancer('local'),
    port: 80,
    expected: 'pod1 pod3',
  },
  {
    name: 'the node to a load balancer with policy Local',
    from: 'node',
    to: loadBalancer('local'),
    port: 80,
    expected: 'pod1* pod3*',
  },
  {
    name: 'a client to the cluster IP of a load balancer with policy Local',
    from: 'client',
    to: clusterIP('local'),
    port: 80,
    expected: 'pod1* pod3*',
  },
  {
    name: 'a client to a node port with policy Local and remote endpoints only',
    from: 'client',
    to: node,
    port: 30091,
    expected: 'drop',
  },
  {
    name: 'a client to a load balancer with policy Local and remote endpoints only',
    from: 'client',
    to: loadBalancer('away'),
    port: 80,
    expected: 'drop',
  },
  {
    name: 'a pod to a load balancer with policy Local and remote endpoints only',
    from: 'pod1',
    to: loadBalancer('away'),
    port: 80,
    expected: 'pod3',
  },

  {
    name: 'a pod to a cluster IP with internal policy Local',
    from: 'pod2',
    to: clusterIP('inside'),
    port: 80,
    expected: 'pod1',
  },
  {
    name: 'the node to a cluster IP with internal policy Local',
    from: 'node',
    to: clusterIP('inside'),
    port: 80,
    expected: 'pod1*',
  },
  {
    name: 'a pod to a cluster IP with internal policy Local and remote endpoints only',
    from: 'pod2',
    to: clusterIP('outside'),
    port: 80,
    expected: 'drop',
  },

  {
    name: 'a client inside the source ranges to a load balancer',
    from: 'client',
    to: loadBalancer('ranged'),
    port: 80,
    expected: ANY_MASQUERADED,
  },
  {
    name: 'a client outside the source ranges to a load balancer',
    from: 'client',
    source: secondClient,
    to: loadBalancer('ranged'),
    port: 80,
    expected: 'drop',
  },
  {
    name: 'a client outside the source ranges to a node port',
    from: 'client',
    source: secondClient,
    to: node,
    port: 30100,
    expected: ANY_MASQUERADED,
  },
  {
    name: 'a pod outside the source ranges to a load balancer',
    from: 'pod2',
    to: loadBalancer('ranged'),
    port: 80,
    expected: 'drop',
  },
  {
    name: 'a pod to the cluster IP of a load balancer with source ranges',
    from: 'pod2',
    to: clusterIP('ranged'),
    port: 80,
    expected: 'pod1 pod2* pod3',
  },
  {
    name: 'a client to the health-check port',
    from: 'client',
    to: node,
    port: 32000,
    expected: 'node',
    inNftables: 'reject',
  },
]

/** Builds a packet from a place to the cluster IP of a Service. */
export function toClusterIP(from: Place, service: ServiceName, family: IpFamily): Packet {
  return packetOf({ name: service, from, to: clusterIP(service), port: 80, expected: '' }, family)
}

/** Returns the cases of one family that Node.js can send. It has no SCTP; the virtual machine tests cover it. */
export function packetCases(family: IpFamily): readonly PacketCase[] {
  return PACKET_CASES.filter((each) => (each.family ?? family) === family && each.protocol !== 'SCTP')
}

export function packetOf({ from, source, to, port, protocol = 'TCP' }: PacketCase, family: IpFamily): Packet {
  return {
    origin: originOf(from),
    protocol,
    source: source?.(family) ?? ADDRESSES[from][family],
    destination: to(family),
    destinationPort: port,
  }
}

function originOf(place: Place): Packet['origin'] {
  if (place === 'node') return 'node'
  return place.startsWith('pod') ? 'pod' : 'outside'
}
