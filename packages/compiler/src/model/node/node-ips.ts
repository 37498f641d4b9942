import { type IpAddress, type IpFamily, isUnspecified, parseIp } from '@kube-rules/types'
import type { EffectiveConfiguration } from '../configuration/effective-configuration.js'

/** The node's own address of each family; the loopback address where none is known. */
export interface NodeIps {
  readonly primaryFamily: IpFamily
  readonly addresses: Readonly<Record<IpFamily, string>>
}

/**
 * The node's own addresses: the first of each family in `nodeAddresses`, overridden by a specific `bindAddress`, whose
 * family is the primary one then. Mirrors `detectNodeIPs` of kube-proxy v1.30.
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
