import type { Cidr, Host, IpFamily, Protocol } from '@kube-rules/types'
import type { EffectiveConfiguration } from './effective-configuration.js'
import type { Features } from './features.js'
import { masqueradeSection } from './proxy-modes.js'
import { refusedLocalhostNodePorts } from './refused-localhost-node-ports.js'
import { cidrsOfFamily } from './written-addresses.js'

/** The effective configuration, as far as rules depend on it: defaults filled in, versions decided, family split. */
export interface Settings {
  readonly features: Features
  /** Masquerade everything sent to cluster IPs. */
  readonly masqueradeAll: boolean
  /** The mark's value, `1 << masqueradeBit`, from 1 to 0x80000000. */
  readonly masqueradeMark: number
  /** Effective: asked for, IPv4, and 127.0.0.0/8 among the node-port addresses; in mode userspace always. */
  readonly localhostNodePorts: boolean
  /** The protocols whose node ports are refused on loopback addresses, sorted. */
  readonly refusedLocalhostNodePorts: readonly Protocol[]
  readonly randomFully: boolean
  readonly conntrackTcpBeLiberal: boolean
  /** Effective: supported by the version and present on the host. */
  readonly nfacctCounters: boolean
  readonly ipvs: IpvsSettings
  /** Only where a process takes the connections. */
  readonly process?: ProcessSettings | undefined
  /** Out of which networks cluster IPs are given, as ServiceCIDRs write them; no part of the configuration. */
  readonly serviceNetworks: readonly string[]
}

/** What mode ipvs alone depends on. */
export interface IpvsSettings {
  /** Empty means the default, `rr`. */
  readonly scheduler: string
  readonly excludeCidrs: readonly Cidr[]
  readonly strictArp: boolean
  /** Whole milliseconds; 0 leaves the kernel's value. */
  readonly tcpTimeoutMs: number
  readonly tcpFinTimeoutMs: number
  readonly udpTimeoutMs: number
}

/** What a process that takes the connections depends on. */
export interface ProcessSettings {
  /** Whether this is the family of the rules: kube-proxy writes those of one. */
  readonly isServed: boolean
  /** The address on which the process listens; absent: on all. */
  readonly listenAddress?: string | undefined
  /** The ports out of which those of the process are chosen; absent: out of all from 40000 on. */
  readonly portRange?: PortRange | undefined
  /** Those that are known, by service port (`default/web:http`). */
  readonly proxyPorts: Readonly<Record<string, number>>
}

export interface PortRange {
  readonly first: number
  readonly last: number
}

/**
 * What rules of one family depend on, from a validated configuration. `host` may lack anything; `loopbackServesNodePorts`
 * says whether 127.0.0.0/8 is among the node-port addresses.
 */
export function settingsOf(
  configuration: EffectiveConfiguration,
  features: Features,
  host: Host | undefined,
  family: IpFamily,
  loopbackServesNodePorts: boolean,
): Omit<Settings, 'serviceNetworks' | 'process'> {
  const { masqueradeAll, masqueradeBit } = masqueradeSection(configuration)
  return {
    features,
    masqueradeAll,
    masqueradeMark: (1 << masqueradeBit) >>> 0,
    localhostNodePorts:
      features.connectionsTaken ||
      (features.localhostNodePorts && hasLocalhostNodePorts(configuration, family, loopbackServesNodePorts)),
    refusedLocalhostNodePorts: refusedLocalhostNodePorts(configuration, features, family),
    randomFully: features.alwaysRandomFully || flagOf(host?.iptablesRandomFully, true),
    conntrackTcpBeLiberal: flagOf(host?.conntrackTcpBeLiberal, configuration.conntrack.tcpBeLiberal),
    nfacctCounters: features.nfacctCounters && flagOf(host?.nfacctCounters, false),
    ipvs: ipvsSettingsOf(configuration, family),
  }
}

/** Mirrors `NewProxier` of kube-proxy v1.30: the flag counts only if loopback addresses serve node ports. */
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
    excludeCidrs: cidrsOfFamily(ipvs.excludeCIDRs, family),
    strictArp: ipvs.strictARP,
    tcpTimeoutMs: Math.trunc(ipvs.tcpTimeout),
    tcpFinTimeoutMs: Math.trunc(ipvs.tcpFinTimeout),
    udpTimeoutMs: Math.trunc(ipvs.udpTimeout),
  }
}

function flagOf(value: unknown, fallback: boolean): boolean {
  return typeof value === 'boolean' ? value : fallback
}
