import { FEATURE_GATES, type FeatureGate, GATES_OF_STAGE, type GateRelease } from './feature-gates.js'

/** What kube-proxy's versions do differently, as named booleans. Nothing else in the library compares versions. */
export interface Features {
  /** Topology hints are used at all (gates TopologyAwareHints, ServiceTrafficDistribution). */
  readonly topologyHints: boolean
  /** Topology hints count only with the annotation `service.kubernetes.io/topology-mode` (1.30). */
  readonly hintsNeedAnnotation: boolean
  /** Node hints are used before zone hints (gate PreferSameTrafficDistribution). */
  readonly nodeHints: boolean
  /** Endpoints of a slice count in the order of the slice; before, in that of their addresses joined by commas. */
  readonly endpointsInSliceOrder: boolean
  /** Of two endpoints with one address the one that is not terminating wins; before, the local one. */
  readonly runningEndpointWins: boolean
  /** The zero CIDR among the source ranges switches source ranges off. */
  readonly zeroSourceRangeAcceptsAll: boolean
  /** `nodePortAddresses: [primary]` is understood. */
  readonly primaryNodePortAddresses: boolean
  /** `nodePortAddresses` may hold `primary`, `localhost` and `all`, beside each other and beside networks. */
  readonly nodePortAddressWords: boolean
  /** MASQUERADE has `--random-fully`, whatever iptables knows. */
  readonly alwaysRandomFully: boolean
  /** kube-proxy counts dropped and accepted packets with nfacct. */
  readonly nfacctCounters: boolean
  /** Cleaning up removes KUBE-PROXY-FIREWALL too. */
  readonly cleanupRemovesProxyFirewall: boolean
  /** `userspace` is a valid mode, the only one known of these versions; Services are read as it reads them (until 1.25). */
  readonly userspaceMode: boolean
  /** Mode userspace writes destinations with their prefix length (until 1.22). */
  readonly destinationsWithLength: boolean
  /** `nftables` is a valid mode. */
  readonly nftablesMode: boolean
  /**
   * In mode nftables kube-proxy itself serves TCP node ports on loopback addresses where they are asked for, and refuses all
   * others (gate KubeProxyNFTablesLocalhostNodePorts).
   */
  readonly nftablesLocalhostNodePorts: boolean
  /** `ipvs` is a valid mode (gate KubeProxyIPVS). */
  readonly ipvsMode: boolean
  /** External IPs are served (gate AllowServiceExternalIPs). */
  readonly externalIPs: boolean
  /** Load-balancer ingress entries with `ipMode: Proxy` are skipped. */
  readonly loadBalancerIPMode: boolean
  /** Mode ipvs is deprecated. */
  readonly ipvsDeprecated: boolean
  /** External IPs are deprecated. */
  readonly externalIPsDeprecated: boolean
  /** A configuration without a mode is deprecated: another mode is going to be the default. */
  readonly unsetModeDeprecated: boolean
  readonly nftables: NftablesFeatures
}

/** How mode nftables of a version says what it says. */
export interface NftablesFeatures {
  /** Every filter sees packets before their destination is changed, but for one of what is made on the node (until 1.33). */
  readonly earlyFilters: boolean
  /** Who is masqueraded at a cluster IP is said of each port (until 1.33). */
  readonly masqueradeMatchesPort: boolean
  /** Elements of firewall-ips have comments (until 1.31). */
  readonly firewallElementComments: boolean
  /** Interfaces are matched by name; before, they had to be there when the rules were loaded. */
  readonly interfacesByName: boolean
  /**
   * Only endpoints that remember their clients have chains; connections of endpoints to themselves are a set, cluster IPs
   * are masqueraded by one rule, and the mark is set where it is asked for.
   */
  readonly squashedEndpoints: boolean
  /** A single endpoint needs no map. */
  readonly singleEndpointDnat: boolean
  /** Comments are cut at what nft takes; before, a longer one failed everything. */
  readonly cutComments: boolean
}

/** Every Kubernetes minor version whose behaviour in mode userspace is known, oldest first: 1.26 removed the mode. */
export const USERSPACE_VERSIONS: readonly string[] = ['1.20', '1.21', '1.22', '1.23', '1.24', '1.25']

/** Every Kubernetes minor version whose behaviour in the other modes is known, oldest first. */
export const SUPPORTED_VERSIONS: readonly string[] = ['1.30', '1.31', '1.32', '1.33', '1.34', '1.35', '1.36', '1.37']

export const NEWEST_VERSION = '1.37'

/** The first version of each behaviour that no gate governs. */
const SINCE = {
  endpointsInSliceOrder: '1.31',
  runningEndpointWins: '1.36',
  zeroSourceRangeAcceptsAll: '1.34',
  primaryNodePortAddresses: '1.31',
  nodePortAddressWords: '1.37',
  alwaysRandomFully: '1.37',
  nfacctCounters: '1.32',
  cleanupRemovesProxyFirewall: '1.31',
  ipvsDeprecated: '1.35',
  externalIPsDeprecated: '1.36',
  unsetModeDeprecated: '1.37',
} as const satisfies Partial<Record<keyof Features, string>>

/** The first version without each behaviour of mode userspace. */
const USERSPACE_UNTIL = { userspaceMode: '1.26', destinationsWithLength: '1.23' } as const

/** The first version of each behaviour of mode nftables, or the first without it. */
const NFTABLES_SINCE = {
  filtersAfterDnat: '1.34',
  masqueradeOfAnyPort: '1.34',
  noFirewallElementComments: '1.32',
  interfacesByName: '1.35',
  squashedEndpoints: '1.36',
  singleEndpointDnat: '1.37',
  cutComments: '1.37',
} as const

/**
 * The minor version (`1.31`) that `text` names, if it is known of some mode, or undefined. `1.31`, `v1.31.2` and `1.31.2-distribution.1`
 * name the same one.
 */
export function parseVersion(text: string): string | undefined {
  const minor = /^v?(1\.\d+)(?:\.\d+)?(?:[-+].*)?$/.exec(text)?.[1]
  return [...USERSPACE_VERSIONS, ...SUPPORTED_VERSIONS].find((version) => version === minor)
}

/** The minor version before a supported one: `1.29` for `1.30`. */
export function previousVersion(version: string): string {
  return `1.${minorOf(version) - 1}`
}

/** What kube-proxy of a supported version does with these feature gates; gates it does not know change nothing. */
export function featuresOf(version: string, gates: ReadonlyMap<string, boolean>): Features {
  const has = (feature: keyof typeof SINCE): boolean => isAtLeast(version, SINCE[feature])
  const enabled = (gate: FeatureGate): boolean => isEnabled(gate, version, gates)
  const userspaceMode = !isAtLeast(version, USERSPACE_UNTIL.userspaceMode)
  const trafficDistribution = enabled('ServiceTrafficDistribution')
  return {
    topologyHints: trafficDistribution || enabled('TopologyAwareHints'),
    hintsNeedAnnotation: !trafficDistribution,
    nodeHints: enabled('PreferSameTrafficDistribution'),
    endpointsInSliceOrder: has('endpointsInSliceOrder'),
    runningEndpointWins: has('runningEndpointWins'),
    zeroSourceRangeAcceptsAll: has('zeroSourceRangeAcceptsAll'),
    primaryNodePortAddresses: has('primaryNodePortAddresses'),
    nodePortAddressWords: has('nodePortAddressWords'),
    alwaysRandomFully: has('alwaysRandomFully'),
    nfacctCounters: has('nfacctCounters'),
    cleanupRemovesProxyFirewall: has('cleanupRemovesProxyFirewall'),
    userspaceMode,
    destinationsWithLength: !isAtLeast(version, USERSPACE_UNTIL.destinationsWithLength),
    nftablesMode: enabled('NFTablesProxyMode'),
    nftablesLocalhostNodePorts: enabled('KubeProxyNFTablesLocalhostNodePorts'),
    ipvsMode: !userspaceMode && enabled('KubeProxyIPVS'),
    externalIPs: enabled('AllowServiceExternalIPs'),
    loadBalancerIPMode: enabled('LoadBalancerIPMode'),
    ipvsDeprecated: has('ipvsDeprecated'),
    externalIPsDeprecated: has('externalIPsDeprecated'),
    unsetModeDeprecated: has('unsetModeDeprecated'),
    nftables: nftablesFeaturesOf(version),
  }
}

function nftablesFeaturesOf(version: string): NftablesFeatures {
  const has = (feature: keyof typeof NFTABLES_SINCE): boolean => isAtLeast(version, NFTABLES_SINCE[feature])
  return {
    earlyFilters: !has('filtersAfterDnat'),
    masqueradeMatchesPort: !has('masqueradeOfAnyPort'),
    firewallElementComments: !has('noFirewallElementComments'),
    interfacesByName: has('interfacesByName'),
    squashedEndpoints: has('squashedEndpoints'),
    singleEndpointDnat: has('singleEndpointDnat'),
    cutComments: has('cutComments'),
  }
}

/** What a gate is in a version; undefined where that version does not know it. */
export function gateReleaseOf(gate: FeatureGate, version: string): GateRelease | undefined {
  return FEATURE_GATES[gate].filter((release) => isAtLeast(version, release.since)).at(-1)
}

function isEnabled(gate: FeatureGate, version: string, gates: ReadonlyMap<string, boolean>): boolean {
  const release = gateReleaseOf(gate, version)
  if (release === undefined) return FEATURE_GATES[gate][0]?.stage === 'deprecated'
  if (release.stage === 'stable') return release.enabled
  const ofStage = release.stage === 'deprecated' ? undefined : gates.get(GATES_OF_STAGE[release.stage])
  return gates.get(gate) ?? ofStage ?? release.enabled
}

function isAtLeast(version: string, since: string): boolean {
  return minorOf(version) >= minorOf(since)
}

function minorOf(version: string): number {
  return Number(version.slice('1.'.length))
}
