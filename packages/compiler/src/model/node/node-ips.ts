import { type IpAddress, type IpFamily, isUnspecified, parseIp } from '@kube-rules/types'
import type { EffectiveConfiguration } from '../configuration/effective-configuration.js'

/** The address of the node in each family; the loopback address if unknown. */
export interface NodeIps {
  readonly primaryFamily: IpFamily
  readonly addresses: Readonly<Record<IpFamily, string>>
}

/**
 * Returns the addresses of the node: the first of each family in `nodeAddresses`, overridden by a specific
 * `bindAddress`, which also determines the primary family. Mirrors `detectNodeIPs` of kube-proxy v1.30.
 */
export function nodeIpsOf(nodeAddresses: readonly IpAddress[], { bindAddress }: EffectiveConfiguration): NodeIps {
  const bound = parseIp(bindAddress)
  const overriding = bound === undefined || isUnspecified(bound.text) ? [] : [bound]
  const candidates = [...overriding, ...nodeAddresses]
  const first = (family: IpFamily) => candidates.find((candidate) => candidate.family === family)?.text
  return {
    primaryFamily: candidates[0]?.family ?? 'IPv4',
    addresses: { IPv4: first('IPv4') ?? '127.0.0.1', IPv6: first('IPv6') ?? '::1' },
  }
}
