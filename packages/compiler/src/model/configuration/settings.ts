import type { Cidr, HostFacts, IpFamily, Protocol } from '@kube-rules/types'
import { cidrContains } from '@kube-rules/types/internal/cidr'
import { isLoopback } from '@kube-rules/types/internal/ip'
import { parseCidrsOfFamily } from './configured-addresses.js'
import type { EffectiveConfiguration } from './effective-configuration.js'
import type { Features } from './features.js'
import { masqueradeSectionOf } from './proxy-modes.js'

/**
 * The part of the configuration that the rules of one family depend on. Defaults and version differences are already
 * applied.
 */
export interface FamilySettings {
  /** The features of the kube-proxy version, each on or off. */
  readonly features: Features
  /** Whether all traffic to cluster IPs is masqueraded. */
  readonly masqueradeAll: boolean
  /** The value of the mark, `1 << masqueradeBit`, from 1 to 0x80000000. */
  readonly masqueradeMark: number
  /**
   * Whether loopback addresses serve node ports. This is the effective value: the flag `localhostNodePorts` is set, the
   * family is IPv4, and the node-port addresses contain 127.0.0.0/8. Always true in userspace mode, and with the
   * feature `loopbackAlwaysServed` or `nodePortsOnLoopback`.
   */
  readonly localhostNodePorts: boolean
  /** The protocols of the node ports that are rejected on loopback addresses, sorted. */
  readonly rejectedLocalhostNodePorts: readonly Protocol[]
  /** Whether masquerading uses fully random ports. */
  readonly randomFully: boolean
  /** Whether invalid TCP packets are accepted (`conntrack.tcpBeLiberal`). */
  readonly conntrackTcpBeLiberal: boolean
  /**
   * Whether the rules use nfacct counters. This is the effective value: the version supports the counters, and they are
   * available on the host.
   */
  readonly nfacctCounters: boolean
  /** The settings of ipvs mode. */
  readonly ipvs: IpvsSettings
  /** The settings of the userspace proxy; present only in userspace mode. */
  readonly process?: UserspaceSettings | undefined
  /** The networks for cluster IPs as written in ServiceCIDRs; not part of the configuration. */
  readonly serviceNetworks: readonly string[]
}

/** Settings that only ipvs mode has. */
export interface IpvsSettings {
  /** The scheduler; empty means the default, `rr`. */
  readonly scheduler: string
  /** The networks with virtual servers of other programs, which kube-proxy preserves. */
  readonly excludeCidrs: readonly Cidr[]
  /** Whether ARP requests for bound addresses are ignored (`strictARP`). */
  readonly strictArp: boolean
  /** The TCP timeout in whole milliseconds; 0 keeps the timeout of the kernel. */
  readonly tcpTimeoutMs: number
  /** The TCP timeout after a FIN, in milliseconds; 0 keeps the timeout of the kernel. */
  readonly tcpFinTimeoutMs: number
  /** The UDP timeout in milliseconds; 0 keeps the timeout of the kernel. */
  readonly udpTimeoutMs: number
}

/** Settings of the kube-proxy process that accepts the connections in userspace mode. */
export interface UserspaceSettings {
  /** Whether kube-proxy writes rules for this family. In userspace mode, kube-proxy writes rules for only one family. */
  readonly isServed: boolean
  /** The address where the userspace proxy listens; absent for all addresses. */
  readonly listenAddress?: string | undefined
  /** The range of the local ports where the userspace proxy listens; absent for all ports from 40000 on. */
  readonly portRange?: PortRange | undefined
  /** The known local ports where the userspace proxy listens, by service port (`default/web:http`). */
  readonly proxyPorts: Readonly<Record<string, number>>
}

/** A range of ports. */
export interface PortRange {
  /** The lowest port. */
  readonly first: number
  /** The highest port. */
  readonly last: number
}

/**
 * Returns the settings of one family for a validated configuration. `host` may be incomplete. `loopbackServesNodePorts`
 * is true if the node-port addresses contain 127.0.0.0/8.
 */
export function createFamilySettings(
  configuration: EffectiveConfiguration,
  features: Features,
  host: HostFacts | undefined,
  family: IpFamily,
  loopbackServesNodePorts: boolean,
): Omit<FamilySettings, 'serviceNetworks' | 'process'> {
  const { masqueradeAll, masqueradeBit } = masqueradeSectionOf(configuration)
  return {
    features,
    masqueradeAll,
    masqueradeMark: (1 << masqueradeBit) >>> 0,
    localhostNodePorts:
      features.connectionsTaken ||
      features.loopbackAlwaysServed ||
      features.nodePortsOnLoopback ||
      (features.localhostNodePorts && hasLocalhostNodePorts(configuration, family, loopbackServesNodePorts)),
    rejectedLocalhostNodePorts: findRejectedLocalhostProtocols(configuration, features, family),
    randomFully: features.alwaysRandomFully || (features.randomFully && flagOf(host?.iptablesRandomFully, true)),
    conntrackTcpBeLiberal: flagOf(host?.conntrackTcpBeLiberal, configuration.conntrack.tcpBeLiberal),
    nfacctCounters: features.nfacctCounters && flagOf(host?.nfacctCounters, false),
    ipvs: ipvsSettingsOf(configuration, family),
  }
}

/**
 * Returns the effective value of `localhostNodePorts`. Mirrors `NewProxier` of kube-proxy v1.30: the flag has an effect
 * only if loopback addresses serve node ports.
 */
function hasLocalhostNodePorts(
  { iptables }: EffectiveConfiguration,
  family: IpFamily,
  loopbackServesNodePorts: boolean,
): boolean {
  return iptables.localhostNodePorts && family === 'IPv4' && loopbackServesNodePorts
}

function ipvsSettingsOf({ ipvs }: EffectiveConfiguration, family: IpFamily): IpvsSettings {
  return {
    scheduler: ipvs.scheduler,
    excludeCidrs: parseCidrsOfFamily(ipvs.excludeCIDRs, family),
    strictArp: ipvs.strictARP,
    tcpTimeoutMs: Math.trunc(ipvs.tcpTimeout),
    tcpFinTimeoutMs: Math.trunc(ipvs.tcpFinTimeout),
    udpTimeoutMs: Math.trunc(ipvs.udpTimeout),
  }
}

function flagOf(value: unknown, fallback: boolean): boolean {
  return typeof value === 'boolean' ? value : fallback
}

const LOOPBACK: Readonly<Record<IpFamily, string>> = { IPv4: '127.0.0.0', IPv6: '::1' }

/**
 * Returns the protocols of the node ports that are rejected on loopback addresses, or an empty list if no node port is
 * rejected there. If the configuration selects loopback addresses, TCP is excluded, because kube-proxy itself listens
 * on them; otherwise, all protocols are included. Mirrors the nftables proxier of kube-proxy v1.37 with the gate
 * KubeProxyNFTablesLocalhostNodePorts.
 */
function findRejectedLocalhostProtocols(
  configuration: EffectiveConfiguration,
  features: Features,
  family: IpFamily,
): readonly Protocol[] {
  if (!features.rejectedLocalhostNodePorts) return []
  return selectsLoopback(configuration, family) ? ['SCTP', 'UDP'] : ['SCTP', 'TCP', 'UDP']
}

/** Reports whether the configuration selects loopback addresses as node-port addresses. A zero CIDR does not count. */
function selectsLoopback({ nodePortAddresses }: EffectiveConfiguration, family: IpFamily): boolean {
  return nodePortAddresses.includes('localhost') || parseCidrsOfFamily(nodePortAddresses, family).some(containsLoopback)
}

function containsLoopback(cidr: Cidr): boolean {
  return cidr.prefixLength > 0 && (isLoopback(cidr.address) || cidrContains(cidr, LOOPBACK[cidr.family]))
}
