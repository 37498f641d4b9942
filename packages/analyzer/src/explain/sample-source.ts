import type { PodTraffic } from '@kube-rules/compiler/internal/model/node/pod-traffic'
import { type Cidr, cidrContains, type IpFamily, type Origin, type Packet } from '@kube-rules/types'
import { ownAddress } from './own-address.js'

/** Facts that determine the origin of packets. */
export interface SourceFacts {
  readonly family: IpFamily
  /** Local traffic detection; absent if there is none. */
  readonly podTraffic?: PodTraffic | undefined
  /** Networks of pods, including those that no rule matches on. */
  readonly podCidrs?: readonly Cidr[] | undefined
  /** Reports whether an address outside these networks is known to be that of a pod. */
  readonly isPod?: ((address: string) => boolean) | undefined
  /** The addresses of the node; absent if unknown. */
  readonly addresses?: readonly string[] | undefined
}

export type PacketSource = Pick<Packet, 'origin' | 'source' | 'inInterface'>

/** Documentation addresses, which belong to no real network. */
const SOMEBODY: Readonly<Record<IpFamily, Readonly<Record<'pod' | 'outside', string>>>> = {
  IPv4: { pod: '192.0.2.10', outside: '198.51.100.1' },
  IPv6: { pod: '2001:db8::10', outside: '2001:db8:ffff::1' },
}

const OUTER_INTERFACES: readonly string[] = ['eth0', 'eth1']

/** Returns an example source of this origin; undefined for the node if its addresses are unknown. */
export function sampleSource(origin: Origin, facts: SourceFacts): PacketSource | undefined {
  const { family, podTraffic, addresses } = facts
  if (origin === 'node') {
    const own = addresses && ownAddress(addresses)
    return own === undefined ? undefined : { origin, source: own }
  }
  const [network] = origin === 'pod' ? podNetworks(facts) : []
  const source = network === undefined ? SOMEBODY[family][origin] : addressIn(network)
  return { origin, source, inInterface: interfaceOf(origin, podTraffic) }
}

/** Classifies a source address; anything but the node and pods is outside. */
export function sourceOf(address: string, facts: SourceFacts): PacketSource {
  const { podTraffic, addresses = [], isPod } = facts
  if (addresses.includes(address)) return { origin: 'node', source: address }
  const isPods = podNetworks(facts).some((cidr) => cidrContains(cidr, address)) || isPod?.(address)
  const origin = isPods ? 'pod' : 'outside'
  return { origin, source: address, inInterface: interfaceOf(origin, podTraffic) }
}

/** Returns the pod networks, starting with that of local traffic detection. */
function podNetworks({ podTraffic, podCidrs = [] }: SourceFacts): readonly Cidr[] {
  return podTraffic?.by === 'cidr' ? [podTraffic.cidr, ...podCidrs] : podCidrs
}

/** Returns an interface that only packets of this origin enter through. */
function interfaceOf(origin: Exclude<Origin, 'node'>, podTraffic: PodTraffic | undefined): string | undefined {
  if (podTraffic === undefined || podTraffic.by === 'cidr') return undefined
  if (origin === 'pod') return podTraffic.by === 'interface' ? podTraffic.interface : `${podTraffic.prefix}0`
  const isPods = (name: string) =>
    podTraffic.by === 'interface' ? name === podTraffic.interface : name.startsWith(podTraffic.prefix)
  return OUTER_INTERFACES.find((name) => !isPods(name))
}

/** Returns an address at the end of the first 256 of a network, if it is that large. Endpoints rarely use these. */
function addressIn(cidr: Cidr): string {
  if (cidr.family === 'IPv6') return cidr.address.endsWith('::') ? `${cidr.address}fffe` : cidr.address
  return cidr.prefixLength > 24 ? cidr.address : cidr.address.replace(/\.0$/, '.254')
}
