import { checkChoice, checkString } from '@kube-rules/compiler/internal/arguments/check-argument'
import { checkShape } from '@kube-rules/compiler/internal/arguments/check-shape'
import type { LocalTrafficDetection } from '@kube-rules/compiler/internal/model/node/local-traffic-detection'
import { type Cidr, IP_FAMILIES, type IpFamily, type Origin, type Packet } from '@kube-rules/types'
import { cidrContains } from '@kube-rules/types/internal/cidr'
import { isLinkLocal, isLoopback } from '@kube-rules/types/internal/ip'

/** Facts that determine the origin of packets. */
export interface PacketSourceContext {
  /** The address family. */
  readonly family: IpFamily
  /** Local traffic detection; absent if the node has none. */
  readonly localTrafficDetection?: LocalTrafficDetection | undefined
  /** Networks of pods, including those that no rule matches on. */
  readonly podCidrs?: readonly Cidr[] | undefined
  /** Reports whether an address outside these networks is the address of a pod. */
  readonly isPod?: ((address: string) => boolean) | undefined
  /** The addresses of the node; absent if unknown. */
  readonly addresses?: readonly string[] | undefined
}

/** The source of a packet, with its origin. */
export type PacketSource = Pick<Packet, 'origin' | 'source' | 'isSourceUnknown' | 'inInterface'>

/** Documentation addresses, which belong to no real network. */
const DOCUMENTATION_ADDRESSES: Readonly<Record<IpFamily, Readonly<Record<'pod' | 'outside', string>>>> = {
  IPv4: { pod: '192.0.2.10', outside: '198.51.100.1' },
  IPv6: { pod: '2001:db8::10', outside: '2001:db8:ffff::1' },
}

const OUTER_INTERFACES: readonly string[] = ['eth0', 'eth1']

/** Returns an example source of this origin; undefined for the node if its addresses are unknown. */
export function createExampleSource(origin: Origin, context: PacketSourceContext): PacketSource | undefined {
  checkChoice('origin', origin, ['pod', 'node', 'outside'])
  checkSourceContext(context)
  const { family, localTrafficDetection, addresses } = context
  if (origin === 'node') {
    const own = addresses && chooseNodeAddress(addresses)
    return own === undefined ? undefined : { origin, source: own }
  }
  const [network] = origin === 'pod' ? podNetworks(context) : []
  const source = network === undefined ? DOCUMENTATION_ADDRESSES[family][origin] : addressIn(network)
  return { origin, source, inInterface: interfaceOf(origin, localTrafficDetection) }
}

/** Classifies a source address; anything but the node and pods is outside. */
export function classifySource(address: string, context: PacketSourceContext): PacketSource {
  checkString('address', address, 'an address')
  checkSourceContext(context)
  const { localTrafficDetection, addresses = [], isPod } = context
  if (addresses.includes(address)) return { origin: 'node', source: address }
  const isPods = podNetworks(context).some((cidr) => cidrContains(cidr, address)) || isPod?.(address)
  const origin = isPods ? 'pod' : 'outside'
  return { origin, source: address, inInterface: interfaceOf(origin, localTrafficDetection) }
}

const CIDR = { family: 'text', address: 'text', prefixLength: 'number' } as const

function checkSourceContext(context: PacketSourceContext): void {
  const shape = {
    family: 'text',
    'localTrafficDetection?': { kind: 'text', 'cidr?': CIDR, 'interface?': 'text', 'prefix?': 'text' },
    'podCidrs?': [CIDR],
    'isPod?': 'function',
    'addresses?': ['text'],
  } as const
  checkShape('context', context, shape, 'a result of createSourceContext')
  checkChoice('context', context.family, IP_FAMILIES, 'family')
}

/** Returns the pod networks, starting with the network of local traffic detection. */
function podNetworks({ localTrafficDetection, podCidrs = [] }: PacketSourceContext): readonly Cidr[] {
  return localTrafficDetection?.kind === 'cidr' ? [localTrafficDetection.cidr, ...podCidrs] : podCidrs
}

/**
 * Returns an incoming interface that identifies packets of this origin; undefined unless local traffic is detected by
 * interfaces.
 */
function interfaceOf(
  origin: Exclude<Origin, 'node'>,
  localTrafficDetection: LocalTrafficDetection | undefined,
): string | undefined {
  if (localTrafficDetection === undefined || localTrafficDetection.kind === 'cidr') return undefined
  if (origin === 'pod')
    return localTrafficDetection.kind === 'interface'
      ? localTrafficDetection.interface
      : `${localTrafficDetection.prefix}0`
  const isPods = (name: string) =>
    localTrafficDetection.kind === 'interface'
      ? name === localTrafficDetection.interface
      : name.startsWith(localTrafficDetection.prefix)
  return OUTER_INTERFACES.find((name) => !isPods(name))
}

/**
 * Returns an address that endpoints rarely have: `.254` of the first 256 addresses, or the first address of a smaller
 * network.
 */
function addressIn(cidr: Cidr): string {
  if (cidr.family === 'IPv6') return cidr.address.endsWith('::') ? `${cidr.address}fffe` : cidr.address
  return cidr.prefixLength > 24 ? cidr.address : cidr.address.replace(/\.0$/, '.254')
}

/** Returns the most recognizable address of a node: not loopback and, if possible, not link-local. */
export function chooseNodeAddress(addresses: readonly string[]): string | undefined {
  const own = addresses.filter((address) => !isLoopback(address))
  return own.find((address) => !isLinkLocal(address)) ?? own[0]
}
