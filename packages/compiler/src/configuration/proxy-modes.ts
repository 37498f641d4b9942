import type { EffectiveConfiguration } from './effective-configuration.js'
import { type Features, SUPPORTED_VERSIONS, USERSPACE_VERSIONS } from './features.js'

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
  /** Whether a process of the node takes the connections: it knows neither policies nor networks of node ports. */
  readonly isProxied: boolean
  /** The minor versions in which the mode is known, oldest first. */
  readonly versions: readonly string[]
  /** Whether kube-proxy has the mode. */
  isValid(features: Features): boolean
}

const OF_IPTABLES: ProxyModeFacts = {
  masquerading: ({ iptables }) => iptables,
  servesLoopback: true,
  refusesLoopback: () => false,
  onlyOwnAddresses: false,
  isProxied: false,
  versions: SUPPORTED_VERSIONS,
  isValid: ({ userspaceMode }) => !userspaceMode,
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
    isProxied: false,
    versions: SUPPORTED_VERSIONS,
    isValid: ({ nftablesMode }) => nftablesMode,
  },
  userspace: {
    ...OF_IPTABLES,
    isProxied: true,
    versions: USERSPACE_VERSIONS,
    isValid: ({ userspaceMode }) => userspaceMode,
  },
}

/** What an empty mode means. */
export const DEFAULT_PROXY_MODE = 'iptables'

/** Those of the default for a mode that kube-proxy does not know. */
export function proxyModeFacts(mode: string): ProxyModeFacts {
  return (isProxyMode(mode) ? PROXY_MODES[mode] : undefined) ?? OF_IPTABLES
}

/** The minor versions in which a mode is known, oldest first; those of the default mode for any other text. */
export function versionsOf(mode: string): readonly string[] {
  return proxyModeFacts(mode).versions
}

/** The newest version in which a mode is known. */
export function newestVersionOf(mode: string): string {
  return proxyModeFacts(mode).versions.at(-1) ?? ''
}

/** Whether a mode is known in a version; whatever kube-proxy does not know counts as the default mode. */
export function isKnownIn(mode: string, version: string): boolean {
  return proxyModeFacts(mode).versions.includes(version)
}

/** The modes with their versions: `iptables, ipvs, nftables: 1.30 to 1.37; userspace: 1.20 to 1.25`. */
export function versionsText(): string {
  const byVersions = new Map<readonly string[], string[]>()
  for (const [mode, { versions }] of Object.entries(PROXY_MODES)) {
    byVersions.set(versions, [...(byVersions.get(versions) ?? []), mode])
  }
  const texts = Array.from(
    byVersions,
    ([versions, modes]) => `${modes.join(', ')}: ${versions[0]} to ${versions.at(-1)}`,
  )
  return texts.join('; ')
}

/** Whether some kube-proxy knows the mode. */
export function isProxyMode(mode: string): boolean {
  return Object.hasOwn(PROXY_MODES, mode)
}

/** The modes that kube-proxy of a version has. */
export function validProxyModes(features: Features): readonly string[] {
  return Object.keys(PROXY_MODES).filter((mode) => PROXY_MODES[mode]?.isValid(features))
}
