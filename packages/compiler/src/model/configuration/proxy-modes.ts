import type { EffectiveConfiguration } from './effective-configuration.js'
import type { FeatureGate } from './feature-gates.js'
import { isFeatureGateEnabled } from './features.js'
import { isSupportedVersion, listProxyModes, type ProxyMode, parseProxyMode } from './versions.js'

/** The section of the configuration with `masqueradeBit` and `masqueradeAll`. */
export type MasqueradeSection = Pick<EffectiveConfiguration['iptables'], 'masqueradeAll' | 'masqueradeBit'>

const SECTIONS: Readonly<Record<ProxyMode, (configuration: EffectiveConfiguration) => MasqueradeSection>> = {
  iptables: ({ iptables }) => iptables,
  ipvs: ({ iptables }) => iptables,
  nftables: ({ nftables }) => nftables,
  userspace: ({ iptables }) => iptables,
}

/** Returns the section that the configured mode uses. An unknown mode uses the section of the default mode. */
export function masqueradeSectionOf(configuration: EffectiveConfiguration): MasqueradeSection {
  return SECTIONS[parseProxyMode(configuration.mode)](configuration)
}

/** The feature gate that a mode needs; undefined if it needs no gate. */
const GATES: Readonly<Record<ProxyMode, FeatureGate | undefined>> = {
  iptables: undefined,
  ipvs: 'KubeProxyIPVS',
  nftables: 'NFTablesProxyMode',
  userspace: undefined,
}

/** Returns the modes that a kube-proxy version accepts with the given feature gates. */
export function listValidProxyModes(version: string, gates: ReadonlyMap<string, boolean>): readonly ProxyMode[] {
  return listProxyModes().filter((mode) => {
    const gate = GATES[mode]
    return isSupportedVersion(mode, version) && (gate === undefined || isFeatureGateEnabled(gate, version, gates))
  })
}
