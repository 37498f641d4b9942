import type { Host, IpFamily } from '@kube-rules/types'
import { cidrsOfFamily } from './cidrs.js'
import type { EffectiveConfiguration } from './effective-configuration.js'
import type { Features } from './features.js'
import type { IpvsSettings, NodeFacts, ProxyMode, Settings } from './model.js'

export const PROXY_MODES: readonly ProxyMode[] = ['iptables', 'ipvs', 'nftables']

/** What rules of one family depend on, from a validated configuration. `host` may lack anything. */
export function settingsOf(
  configuration: EffectiveConfiguration,
  features: Features,
  host: Host | undefined,
  node: NodeFacts,
  family: IpFamily,
): Settings {
  const mode = PROXY_MODES.find((known) => known === configuration.mode) ?? 'iptables'
  const { masqueradeAll, masqueradeBit } = mode === 'nftables' ? configuration.nftables : configuration.iptables
  return {
    mode,
    features,
    masqueradeAll,
    masqueradeMark: (1 << masqueradeBit) >>> 0,
    localhostNodePorts: mode === 'iptables' && hasLocalhostNodePorts(configuration, node, family),
    randomFully: flagOf(host?.iptablesRandomFully, true),
    conntrackTcpBeLiberal: flagOf(host?.conntrackTcpBeLiberal, configuration.conntrack.tcpBeLiberal),
    nfacctCounters: features.nfacctCounters && flagOf(host?.nfacctCounters, false),
    ipvs: ipvsSettingsOf(configuration, family),
  }
}

/** Mirrors `NewProxier` of kube-proxy v1.30: the flag counts only if loopback addresses serve node ports. */
function hasLocalhostNodePorts(configuration: EffectiveConfiguration, node: NodeFacts, family: IpFamily): boolean {
  return configuration.iptables.localhostNodePorts && family === 'IPv4' && node.nodePorts.containsLoopback
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
