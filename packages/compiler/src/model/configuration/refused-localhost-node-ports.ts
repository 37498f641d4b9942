import { type Cidr, cidrContains, type IpFamily, isLoopback, type Protocol } from '@kube-rules/types'
import type { EffectiveConfiguration } from './effective-configuration.js'
import type { Features } from './features.js'
import { cidrsOfFamily } from './written-addresses.js'

const LOOPBACK: Readonly<Record<IpFamily, string>> = { IPv4: '127.0.0.0', IPv6: '::1' }

/**
 * The protocols whose node ports are refused on loopback addresses: all of them, but TCP where the configuration asks for
 * loopback addresses, because kube-proxy itself listens there; none where they are left alone. Mirrors the nftables proxier of
 * kube-proxy v1.37 with gate KubeProxyNFTablesLocalhostNodePorts.
 */
export function refusedLocalhostNodePorts(
  configuration: EffectiveConfiguration,
  features: Features,
  family: IpFamily,
): readonly Protocol[] {
  if (!features.refusedLocalhostNodePorts) return []
  return asksForLoopback(configuration, family) ? ['SCTP', 'UDP'] : ['SCTP', 'TCP', 'UDP']
}

/** All addresses together ask for none in particular. */
function asksForLoopback({ nodePortAddresses }: EffectiveConfiguration, family: IpFamily): boolean {
  return nodePortAddresses.includes('localhost') || cidrsOfFamily(nodePortAddresses, family).some(namesLoopback)
}

function namesLoopback(cidr: Cidr): boolean {
  return cidr.prefixLength > 0 && (isLoopback(cidr.address) || cidrContains(cidr, LOOPBACK[cidr.family]))
}
