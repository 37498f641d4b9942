import type { PodTraffic } from '@kube-rules/compiler/internal/model/node/pod-traffic'
import { type Cidr, cidrContains, type IpFamily, type Origin, type Packet } from '@kube-rules/types'
import { ownAddress } from './own-address.js'

/** What tells where packets come from. */
export interface SourceFacts {
  readonly family: IpFamily
  /** How packets of pods are told from others; absent where they cannot be. */
  readonly podTraffic?: PodTraffic | undefined
  /** Networks of pods, also those that no rule is about. */
  readonly podCidrs?: readonly Cidr[] | undefined
  /** Whether an address that is in none of them is known to be a pod's. */
  readonly isPod?: ((address: string) => boolean) | undefined
  /** The node's own addresses; absent where they are not known. */
  readonly addresses?: readonly string[] | undefined
}

export type PacketSource = Pick<Packet, 'origin' | 'source' | 'inInterface'>

/** Addresses for documentation: of no real network. */
const SOMEBODY: Readonly<Record<IpFamily, Readonly<Record<'pod' | 'outside', string>>>> = {
  IPv4: { pod: '192.0.2.10', outside: '198.51.100.1' },
  IPv6: { pod: '2001:db8::10', outside: '2001:db8:ffff::1' },
}

const OUTER_INTERFACES: readonly string[] = ['eth0', 'eth1']

/** A source of this origin; undefined for the node where its addresses are not known. */
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

/** The source with this address, of the origin that the address tells; others than the node and pods are outside. */
export function sourceOf(address: string, facts: SourceFacts): PacketSource {
  const { podTraffic, addresses = [], isPod } = facts
  if (addresses.includes(address)) return { origin: 'node', source: address }
  const isPods = podNetworks(facts).some((cidr) => cidrContains(cidr, address)) || isPod?.(address)
  const origin = isPods ? 'pod' : 'outside'
  return { origin, source: address, inInterface: interfaceOf(origin, podTraffic) }
}

/** That by which rules tell pods comes first. */
function podNetworks({ podTraffic, podCidrs = [] }: SourceFacts): readonly Cidr[] {
  return podTraffic?.by === 'cidr' ? [podTraffic.cidr, ...podCidrs] : podCidrs
}

/** An interface by which packets of this origin come in, and others do not. */
function interfaceOf(origin: Exclude<Origin, 'node'>, podTraffic: PodTraffic | undefined): string | undefined {
  if (podTraffic === undefined || podTraffic.by === 'cidr') return undefined
  if (origin === 'pod') return podTraffic.by === 'interface' ? podTraffic.interface : `${podTraffic.prefix}0`
  const isPods = (name: string) =>
    podTraffic.by === 'interface' ? name === podTraffic.interface : name.startsWith(podTraffic.prefix)
  return OUTER_INTERFACES.find((name) => !isPods(name))
}

/** An address at the end of a network's first 256, where it has as many: endpoints have them late, if ever. */
function addressIn(cidr: Cidr): string {
  if (cidr.family === 'IPv6') return cidr.address.endsWith('::') ? `${cidr.address}fffe` : cidr.address
  return cidr.prefixLength > 24 ? cidr.address : cidr.address.replace(/\.0$/, '.254')
}
