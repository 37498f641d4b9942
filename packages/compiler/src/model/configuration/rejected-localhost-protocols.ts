import type { Cidr, IpFamily, Protocol } from '@kube-rules/types'
import { cidrContains } from '@kube-rules/types/internal/cidr'
import { isLoopback } from '@kube-rules/types/internal/ip'
import type { EffectiveConfiguration } from './effective-configuration.js'
import type { Features } from './features.js'
import { parseCidrsOfFamily } from './written-addresses.js'

const LOOPBACK: Readonly<Record<IpFamily, string>> = { IPv4: '127.0.0.0', IPv6: '::1' }

/**
 * Returns the protocols with rejected node ports on loopback addresses. These are all protocols, except TCP if the
 * configuration includes loopback addresses, because kube-proxy itself listens there. Returns none if the mode leaves
 * such packets alone. Mirrors the nftables proxier of kube-proxy v1.37 with gate KubeProxyNFTablesLocalhostNodePorts.
 */
export function findRejectedLocalhostProtocols(
  configuration: EffectiveConfiguration,
  features: Features,
  family: IpFamily,
): readonly Protocol[] {
  if (!features.rejectedLocalhostNodePorts) return []
  return asksForLoopback(configuration, family) ? ['SCTP', 'UDP'] : ['SCTP', 'TCP', 'UDP']
}

/** Reports whether the configuration includes loopback addresses. A network of all addresses does not count. */
function asksForLoopback({ nodePortAddresses }: EffectiveConfiguration, family: IpFamily): boolean {
  return nodePortAddresses.includes('localhost') || parseCidrsOfFamily(nodePortAddresses, family).some(namesLoopback)
}

function namesLoopback(cidr: Cidr): boolean {
  return cidr.prefixLength > 0 && (isLoopback(cidr.address) || cidrContains(cidr, LOOPBACK[cidr.family]))
}
