import type { EffectiveConfiguration } from './effective-configuration.js'
import type { Features } from './features.js'

/** What one mode of kube-proxy makes of the configuration. */
export interface ProxyModeFacts {
  /** The section that says whether everything is masqueraded, and with which mark. */
  masquerading(configuration: EffectiveConfiguration): {
    readonly masqueradeAll: boolean
    readonly masqueradeBit: number
  }
  /** Whether node ports can be served on loopback addresses. */
  readonly servesLoopback: boolean
  /** Whether node ports on loopback addresses are refused unless kube-proxy itself listens there, instead of left alone. */
  refusesLoopback(features: Features): boolean
  /** Whether node ports are served on the node's own addresses only, where the configuration names no networks. */
  readonly onlyOwnAddresses: boolean
  /** Whether kube-proxy has the mode. */
  isValid(features: Features): boolean
}

const OF_IPTABLES: ProxyModeFacts = {
  masquerading: ({ iptables }) => iptables,
  servesLoopback: true,
  refusesLoopback: () => false,
  onlyOwnAddresses: false,
  isValid: () => true,
}

/** Every mode that a configuration may name. */
const PROXY_MODES: Readonly<Record<string, ProxyModeFacts>> = {
  iptables: OF_IPTABLES,
  ipvs: { ...OF_IPTABLES, servesLoopback: false, isValid: ({ ipvsMode }) => ipvsMode },
  nftables: {
    masquerading: ({ nftables }) => nftables,
    servesLoopback: false,
    refusesLoopback: ({ nftablesLocalhostNodePorts }) => nftablesLocalhostNodePorts,
    onlyOwnAddresses: true,
    isValid: ({ nftablesMode }) => nftablesMode,
  },
}

/** What an empty mode means. */
export const DEFAULT_PROXY_MODE = 'iptables'

/** Those of the default for a mode that kube-proxy does not know. */
export function proxyModeFacts(mode: string): ProxyModeFacts {
  return (isProxyMode(mode) ? PROXY_MODES[mode] : undefined) ?? OF_IPTABLES
}

/** Whether some kube-proxy knows the mode. */
export function isProxyMode(mode: string): boolean {
  return Object.hasOwn(PROXY_MODES, mode)
}

/** The modes that kube-proxy of a version has. */
export function validProxyModes(features: Features): readonly string[] {
  return Object.keys(PROXY_MODES).filter((mode) => PROXY_MODES[mode]?.isValid(features))
}
