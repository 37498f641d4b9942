import type { EffectiveConfiguration } from './effective-configuration.js'
import type { FeatureGate } from './feature-gates.js'
import { isEnabled } from './features.js'
import { isSupportedVersion, type ProxyMode, proxyModeOf, proxyModes } from './versions.js'

/** The part of the configuration that says whether everything is masqueraded, and with which mark. */
export type MasqueradeSection = Pick<EffectiveConfiguration['iptables'], 'masqueradeAll' | 'masqueradeBit'>

const SECTIONS: Readonly<Record<ProxyMode, (configuration: EffectiveConfiguration) => MasqueradeSection>> = {
  iptables: ({ iptables }) => iptables,
  ipvs: ({ iptables }) => iptables,
  nftables: ({ nftables }) => nftables,
  userspace: ({ iptables }) => iptables,
}

/** That of its mode; of the default mode where the mode does not exist. */
export function masqueradeSection(configuration: EffectiveConfiguration): MasqueradeSection {
  return SECTIONS[proxyModeOf(configuration.mode)](configuration)
}

/** The gate that a mode needs; undefined for none. */
const GATES: Readonly<Record<ProxyMode, FeatureGate | undefined>> = {
  iptables: undefined,
  ipvs: 'KubeProxyIPVS',
  nftables: 'NFTablesProxyMode',
  userspace: undefined,
}

/** The modes that kube-proxy of a version has with these gates. */
export function validProxyModes(version: string, gates: ReadonlyMap<string, boolean>): readonly ProxyMode[] {
  return proxyModes().filter((mode) => {
    const gate = GATES[mode]
    return isSupportedVersion(mode, version) && (gate === undefined || isEnabled(gate, version, gates))
  })
}
