import { type Cidr, IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { cidrContains, parseCidr, toHostPrefix } from '@kube-rules/types/internal/cidr'
import { isLoopback } from '@kube-rules/types/internal/ip'
import type { EffectiveConfiguration } from '../configuration/effective-configuration.js'
import type { Features } from '../configuration/features.js'
import type { NodeInterfaceAddress } from './interface-addresses.js'
import type { NodeIps } from './node-ips.js'

/** The node addresses that serve node ports. Mirrors `NodePortAddresses` of kube-proxy v1.30. */
export interface NodePortAddresses {
  /** Whether every local address serves node ports. */
  readonly all: boolean
  /** The addresses that serve node ports, sorted; empty if `all` is true. */
  readonly addresses: readonly string[]
  /** Whether 127.0.0.0/8 is among the selected addresses. IPv4 only; true if `all` is true. */
  readonly containsLoopback: boolean
  /**
   * The selected addresses of the other family, sorted. kube-proxy opens node ports there, although no rules serve them;
   * only with the feature `nodePortNetworksOfEitherFamily`.
   */
  readonly otherFamilyAddresses?: readonly string[] | undefined
}

const ZERO_CIDRS: Readonly<Record<IpFamily, string>> = { IPv4: '0.0.0.0/0', IPv6: '::/0' }
const LOOPBACK_CIDRS: readonly string[] = ['127.0.0.0/8', '::1/128']

/**
 * Returns the `nodePortAddresses` of a validated configuration, with each keyword replaced with networks: `primary`
 * with the addresses of the node, `localhost` with the loopback networks, `all` with the zero CIDRs. An unknown node
 * address, which a loopback address represents, is left out.
 */
function nodePortCidrsOf({ nodePortAddresses }: EffectiveConfiguration, nodeIps: NodeIps): readonly string[] {
  return nodePortAddresses.flatMap((written) => networksOfWord(written, nodeIps) ?? [written])
}

function networksOfWord(word: string, nodeIps: NodeIps): readonly string[] | undefined {
  switch (word) {
    case 'primary':
      return IP_FAMILIES.filter((family) => !isLoopback(nodeIps.addresses[family])).map((family) =>
        toHostPrefix(nodeIps.addresses[family]),
      )
    case 'localhost':
      return LOOPBACK_CIDRS
    case 'all':
      return Object.values(ZERO_CIDRS)
    default:
      return undefined
  }
}

/**
 * Returns the networks of one family that select the node-port addresses. These are the configured networks of the
 * family or, if there are none, the zero CIDR. Unlike other modes, the nftables mode of v1.30 uses the address of the
 * node instead of the zero CIDR. With the feature `nodePortNetworksOfEitherFamily`, the networks of both families select
 * addresses.
 */
export function nodePortCidrsOfFamily(
  configuration: EffectiveConfiguration,
  nodeIps: NodeIps,
  features: Features,
  family: IpFamily,
): readonly string[] {
  // In userspace mode, kube-proxy accepts the networks but ignores them.
  if (features.connectionsTaken) return [ZERO_CIDRS[family]]
  const all = nodePortCidrsOf(configuration, nodeIps)
  if (features.nodePortNetworksOfEitherFamily && all.length > 0) return all
  const own = all.filter((cidr) => parseCidr(cidr)?.family === family)
  if (own.length > 0) return own
  return [features.ownNodePortAddress ? toHostPrefix(nodeIps.addresses[family]) : ZERO_CIDRS[family]]
}

/**
 * Returns the addresses that serve node ports. A zero CIDR selects every address: any network of length 0 or, without
 * the feature `zeroNetworksMatchAll`, only a network written exactly as `0.0.0.0/0` or `::/0`. Mirrors
 * `NewNodePortAddresses` and `GetNodeIPs` of kube-proxy v1.30.
 */
export function selectNodePortAddresses(
  cidrs: readonly string[],
  addresses: readonly NodeInterfaceAddress[],
  { zeroNetworksMatchAll }: Pick<Features, 'zeroNetworksMatchAll'>,
): NodePortAddresses {
  const networks = cidrs.map(parseCidr).filter((cidr) => cidr !== undefined)
  const all = zeroNetworksMatchAll
    ? networks.some(({ prefixLength }) => prefixLength === 0)
    : cidrs.some((cidr) => cidr === ZERO_CIDRS.IPv4 || cidr === ZERO_CIDRS.IPv6)
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
