import { type Cidr, cidrContains, hostPrefixLength, type IpFamily, isLoopback, parseCidr } from '@kube-rules/types'
import type { EffectiveConfiguration } from '../configuration/effective-configuration.js'
import type { Features } from '../configuration/features.js'
import { proxyModeFacts } from '../configuration/proxy-modes.js'
import type { NodeInterfaceAddress } from './interface-addresses.js'
import type { NodeIps } from './node-ips.js'

/** On which addresses of the node its node ports are served. Mirrors `NodePortAddresses` of kube-proxy v1.30. */
export interface NodePortAddresses {
  /** Node ports are served on every local address. */
  readonly all: boolean
  /** Otherwise: the addresses that serve node ports, sorted. Empty where `all`. */
  readonly addresses: readonly string[]
  /** Whether 127.0.0.0/8 was selected (IPv4 only; true where `all`). */
  readonly containsLoopback: boolean
}

const ZERO_CIDRS: Readonly<Record<IpFamily, string>> = { IPv4: '0.0.0.0/0', IPv6: '::/0' }

/**
 * The `nodePortAddresses` of the configuration with the word `primary` replaced by the node's own addresses; where an
 * address is not known (a loopback one stands in) it is left out.
 */
export function nodePortCidrsOf(configuration: EffectiveConfiguration, nodeIps: NodeIps): readonly string[] {
  const { nodePortAddresses } = configuration
  if (nodePortAddresses.length !== 1 || nodePortAddresses[0] !== 'primary') return nodePortAddresses
  const families: readonly IpFamily[] = ['IPv4', 'IPv6']
  return families.filter((family) => !isLoopback(nodeIps.addresses[family])).map((family) => ownCidr(nodeIps, family))
}

/**
 * The networks of one family that select node-port addresses: those of that family in the configuration, or where
 * there is none the zero CIDR. Mode nftables of v1.30 takes the node's own address instead of the zero CIDR.
 */
export function nodePortCidrsOfFamily(
  configuration: EffectiveConfiguration,
  nodeIps: NodeIps,
  features: Features,
  family: IpFamily,
): readonly string[] {
  const all = nodePortCidrsOf(configuration, nodeIps)
  const own = all.filter((cidr) => parseCidr(cidr)?.family === family)
  if (own.length > 0) return own
  const onlyOwn = proxyModeFacts(configuration.mode).onlyOwnAddresses && !features.primaryNodePortAddresses
  return [onlyOwn ? ownCidr(nodeIps, family) : ZERO_CIDRS[family]]
}

/**
 * The addresses that serve node ports. Only a network written exactly as `0.0.0.0/0` or `::/0` means every address,
 * and what follows it is ignored. Mirrors `NewNodePortAddresses` and `GetNodeIPs` of kube-proxy v1.30.
 */
export function selectNodePortAddresses(
  cidrs: readonly string[],
  addresses: readonly NodeInterfaceAddress[],
): NodePortAddresses {
  const zero = cidrs.findIndex((cidr) => cidr === ZERO_CIDRS.IPv4 || cidr === ZERO_CIDRS.IPv6)
  const all = zero >= 0
  const counting = cidrs.slice(0, all ? zero + 1 : cidrs.length).map(parseCidr)
  const networks = counting.filter((cidr) => cidr !== undefined)
  const selected = addresses.filter(({ address }) => networks.some((network) => cidrContains(network, address)))
  return {
    all,
    addresses: all ? [] : selected.map(({ address }) => address),
    containsLoopback: networks.some(containsIpv4Loopback),
  }
}

function containsIpv4Loopback(cidr: Cidr): boolean {
  return cidr.family === 'IPv4' && (isLoopback(cidr.address) || cidrContains(cidr, '127.0.0.0'))
}

function ownCidr(nodeIps: NodeIps, family: IpFamily): string {
  return `${nodeIps.addresses[family]}/${hostPrefixLength(family)}`
}
