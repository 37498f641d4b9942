import type { IpFamily } from '@kube-rules/types'
import { type IpAddress, isUnspecified, parseIp } from '@kube-rules/types/internal/ip'
import type { EffectiveConfiguration } from '../configuration/effective-configuration.js'
import type { Features } from '../configuration/features.js'

/**
 * The address of the node in each family. If the address is unknown, this is the loopback address. In versions that use
 * no node address for the family, this is the unspecified address.
 */
export interface NodeIps {
  readonly primaryFamily: IpFamily
  readonly addresses: Readonly<Record<IpFamily, string>>
}

/**
 * Returns the addresses of the node: the first address of each family in `nodeAddresses`. A specific `bindAddress`
 * overrides the address of its family and determines the primary family. Mirrors `detectNodeIPs` of kube-proxy v1.30.
 */
export function detectNodeIps(
  nodeAddresses: readonly IpAddress[],
  { bindAddress }: EffectiveConfiguration,
  features: Features,
): NodeIps {
  const bound = parseIp(bindAddress)
  const overriding = bound === undefined || isUnspecified(bound.text) ? [] : [bound]
  const candidates = [...overriding, ...nodeAddresses]
  const first = (family: IpFamily) => candidates.find((candidate) => candidate.family === family)?.text
  const single = onlyNodeIp(overriding, candidates, features)
  if (single !== undefined) return { primaryFamily: candidates[0]?.family ?? 'IPv4', addresses: single }
  return {
    primaryFamily: candidates[0]?.family ?? 'IPv4',
    addresses: { IPv4: first('IPv4') ?? '127.0.0.1', IPv6: first('IPv6') ?? '::1' },
  }
}

/**
 * Returns the node IPs in versions that use only one node IP: `bindAddress` or the first address of the Node, depending
 * on the version. Returns undefined in other versions. Mirrors `nodeIPTuple` of kube-proxy v1.21 to v1.28.
 */
function onlyNodeIp(
  bound: readonly IpAddress[],
  candidates: readonly IpAddress[],
  { nodeIPIsBindAddress, nodeIPIsFirstAddress }: Features,
): NodeIps['addresses'] | undefined {
  if (!nodeIPIsBindAddress && !nodeIPIsFirstAddress) return undefined
  const [own] = nodeIPIsBindAddress ? bound : candidates
  if (own === undefined && nodeIPIsFirstAddress) return { IPv4: '127.0.0.1', IPv6: '::' }
  return { IPv4: '0.0.0.0', IPv6: '::', ...(own && { [own.family]: own.text }) }
}
