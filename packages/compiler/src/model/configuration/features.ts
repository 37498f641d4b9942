import { FEATURE_GATES, type FeatureGate, GATES_OF_STAGE, type GateRelease } from './feature-gates.js'
import { isAtLeast, type ProxyMode, versionsOf } from './versions.js'

/** When kube-proxy has a feature: where all that a row says holds. */
interface Row {
  /** The modes that have it; absent: all. In the other modes the feature is off. */
  readonly modes?: readonly ProxyMode[]
  /** The first version with it. */
  readonly since?: string
  /** The first version without it. */
  readonly until?: string
  /** One of these gates is on. */
  readonly gates?: readonly FeatureGate[]
  /** This gate is off. */
  readonly withoutGate?: FeatureGate
}

/**
 * What the versions and modes of kube-proxy do differently, as named booleans, each documented in its row. A difference is
 * one row here and one branch where the feature is used; nothing else compares versions.
 */
const HISTORY = {
  // The configuration.

  /** Which feature gates there are is known, so that others are refused. */
  featureGatesKnown: { since: '1.30' },
  /** Whether `nodePortAddresses: [primary]` is supported. */
  primaryNodePortAddresses: { since: '1.31' },
  /**
   * Whether `nodePortAddresses` may contain `primary`, `localhost` and `all`, together with each other and with
   * networks.
   */
  nodePortAddressWords: { since: '1.37' },
  /** Without `nodePortAddresses` node ports are served on the node's own address. */
  ownNodePortAddress: { modes: ['nftables'], until: '1.31' },
  /** `nodePortAddresses` is `[primary]` by default. */
  primaryNodePortAddressesByDefault: { modes: ['nftables'], since: '1.31' },
  /** Node ports can be served on 127.0.0.0/8 (`localhostNodePorts`). */
  localhostNodePorts: { modes: ['iptables'] },
  /** kube-proxy itself serves TCP node ports on loopback addresses where that is configured, and refuses all others. */
  refusedLocalhostNodePorts: { modes: ['nftables'], gates: ['KubeProxyNFTablesLocalhostNodePorts'] },
  /** The mode is deprecated. */
  modeDeprecated: { modes: ['ipvs'], since: '1.35' },
  /** Whether a configuration without a mode is deprecated, because the default mode is going to change. */
  unsetModeDeprecated: { since: '1.37' },

  // Services and their endpoints.

  /** Ports of a Service are known by their names alone; elsewhere by name and protocol. */
  portsByNameAlone: { modes: ['userspace'] },
  /** Of the cluster IPs of a Service `spec.clusterIP` alone counts. */
  onlyFirstClusterIP: { modes: ['userspace'] },
  /** There are health-check node ports. */
  healthCheckNodePorts: { modes: ['iptables', 'ipvs', 'nftables'] },
  /** External IPs are served. */
  externalIPs: { gates: ['AllowServiceExternalIPs'] },
  /** Whether external IPs are deprecated. */
  externalIPsDeprecated: { since: '1.36' },
  /** Whether load-balancer ingress entries with `ipMode: Proxy` are skipped. */
  loadBalancerIPMode: { gates: ['LoadBalancerIPMode'] },
  /** Whether the zero CIDR among the source ranges disables source ranges. */
  zeroSourceRangeAcceptsAll: { since: '1.34' },
  /**
   * Whether endpoints of a slice have the order of the slice; in older versions, they have that of their
   * comma-separated addresses.
   */
  endpointsInSliceOrder: { since: '1.31' },
  /**
   * Whether the endpoint that is not terminating has precedence if two have the same address; in older versions, the
   * local one has.
   */
  runningEndpointWins: { since: '1.36' },
  /** Topology hints are used at all. */
  topologyHints: { gates: ['ServiceTrafficDistribution', 'TopologyAwareHints'] },
  /** Topology hints count only with the annotation `service.kubernetes.io/topology-mode`. */
  hintsNeedAnnotation: { withoutGate: 'ServiceTrafficDistribution' },
  /** Node hints are used before zone hints. */
  nodeHints: { gates: ['PreferSameTrafficDistribution'] },

  // Rules of iptables, in any mode.

  /** Whether MASQUERADE always has `--random-fully`, regardless of iptables support. */
  alwaysRandomFully: { since: '1.37' },
  /** Whether kube-proxy counts dropped and accepted packets with nfacct. */
  nfacctCounters: { since: '1.32' },
  /** Whether cleanup also removes KUBE-PROXY-FIREWALL. */
  cleanupRemovesProxyFirewall: { modes: ['iptables'], since: '1.31' },

  // Mode userspace.

  /** A process of the node takes the connections: it knows neither policies nor networks of node ports. */
  connectionsTaken: { modes: ['userspace'] },
  /** Destinations are written with their prefix length. */
  destinationsWithLength: { modes: ['userspace'], until: '1.23' },

  // Mode nftables.

  /** Every filter sees packets before their destination is changed, but for one of what is made on the node. */
  earlyFilters: { modes: ['nftables'], until: '1.34' },
  /** The masquerading of packets to a cluster IP is written for each port. */
  masqueradeMatchesPort: { modes: ['nftables'], until: '1.34' },
  /** Elements of firewall-ips have comments. */
  firewallElementComments: { modes: ['nftables'], until: '1.32' },
  /** Whether interfaces are matched by name; in older versions, they had to exist when the rules were loaded. */
  interfacesByName: { modes: ['nftables'], since: '1.35' },
  /**
   * Only endpoints with session affinity have chains; connections of endpoints to themselves are a set, cluster IPs are
   * masqueraded by one rule, and the mark is set in the chain that needs it.
   */
  squashedEndpoints: { modes: ['nftables'], since: '1.36' },
  /** Whether a single endpoint uses no map. */
  singleEndpointDnat: { modes: ['nftables'], since: '1.37' },
  /**
   * Whether comments are truncated to the limit of nft; in older versions, a longer one made the whole transaction
   * fail.
   */
  cutComments: { modes: ['nftables'], since: '1.37' },
} as const

/** What kube-proxy of a version does in a mode, by feature. */
export type Features = { readonly [Name in FeatureName]: boolean }

export type FeatureName = keyof typeof HISTORY

const ROWS: Readonly<Record<FeatureName, Row>> = HISTORY
const FEATURE_NAMES = Object.keys(HISTORY) as readonly FeatureName[]

/** What kube-proxy of a version does in a mode with these feature gates; gates it does not know change nothing. */
export function featuresOf(mode: ProxyMode, version: string, gates: ReadonlyMap<string, boolean>): Features {
  const entries = FEATURE_NAMES.map((name) => [name, holds(ROWS[name], mode, version, gates)])
  return Object.fromEntries(entries) as Features
}

function holds(
  { modes, since, until, gates, withoutGate }: Row,
  mode: ProxyMode,
  version: string,
  given: ReadonlyMap<string, boolean>,
): boolean {
  if (modes?.includes(mode) === false) return false
  if (since !== undefined && !isAtLeast(version, since)) return false
  if (until !== undefined && isAtLeast(version, until)) return false
  if (gates?.some((gate) => isEnabled(gate, version, given)) === false) return false
  return withoutGate === undefined || !isEnabled(withoutGate, version, given)
}

/** Every gate that can be switched on by its stage. */
const EVERY_STAGE: ReadonlyMap<string, boolean> = new Map(
  Object.values(GATES_OF_STAGE).map((gate): [string, boolean] => [gate, true]),
)

/** The versions of a mode that have these features, and lack those that are false, by default or with every gate on. */
export function versionsWith(mode: ProxyMode, features: Partial<Features>): readonly string[] {
  return versionsOf(mode).filter((version) =>
    [new Map<string, boolean>(), EVERY_STAGE].some((gates) => {
      const found = featuresOf(mode, version, gates)
      return FEATURE_NAMES.every((name) => features[name] === undefined || features[name] === found[name])
    }),
  )
}

/** Returns the state of a gate in a version; undefined if the version does not have it. */
export function gateReleaseOf(gate: FeatureGate, version: string): GateRelease | undefined {
  return FEATURE_GATES[gate].filter((release) => isAtLeast(version, release.since)).at(-1)
}

/** Whether a gate is on in a version that is given these gates. What is older than its gate is on before. */
export function isEnabled(gate: FeatureGate, version: string, gates: ReadonlyMap<string, boolean>): boolean {
  const release = gateReleaseOf(gate, version)
  if (release === undefined) return FEATURE_GATES[gate][0]?.stage === 'deprecated'
  if (release.stage === 'stable') return release.enabled
  const ofStage = release.stage === 'deprecated' ? undefined : gates.get(GATES_OF_STAGE[release.stage])
  return gates.get(gate) ?? ofStage ?? release.enabled
}
