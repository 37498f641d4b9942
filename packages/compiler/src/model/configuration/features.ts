import { createRecord, keysOf } from '../../internal/create-record.js'
import { FEATURE_GATES, type FeatureGate, type GateRelease, STAGE_GATES } from './feature-gates.js'
import { isAtLeast, MARK_CLEARED_SINCE, type ProxyMode, versionsOf } from './versions.js'

/**
 * The conditions of a feature; all of them must be true. If a feature has several rows, the conditions of one row must
 * be true.
 */
interface Row {
  /** The modes that have the feature; it is off in every other mode. Absent if every mode has it. */
  readonly modes?: readonly ProxyMode[]
  /** The first version with the feature; a list if patches of older minor versions also have it. */
  readonly since?: string | readonly string[]
  /** The first version without the feature; may be a list, like `since`. */
  readonly until?: string | readonly string[]
  /** One of these gates is on. */
  readonly gates?: readonly FeatureGate[]
  /** This gate is off. */
  readonly withoutGate?: FeatureGate
}

/**
 * The differences between versions and modes of kube-proxy, as named booleans, each documented in its row. A difference
 * is one row here and one branch where the feature is used; nothing else compares versions.
 */
const HISTORY = {
  // The configuration.

  /** The feature gates of the version are known, so that an unknown one is rejected. */
  featureGatesKnown: { since: '1.30' },
  /**
   * kube-proxy serves only the address family of the node; in newer versions, and with the gate IPv6DualStack, both
   * families.
   */
  singleStack: { withoutGate: 'IPv6DualStack' },
  /**
   * The node IP is `bindAddress`, which is unspecified by default: source ranges then contain the node only if they
   * contain `0.0.0.0` or `::`.
   */
  nodeIPIsBindAddress: { modes: ['iptables', 'ipvs'], since: '1.21', until: '1.28' },
  /** The IP of the node is the first address of the Node, and unspecified in the other family. */
  nodeIPIsFirstAddress: { modes: ['iptables', 'ipvs'], since: '1.28', until: '1.29' },
  /** The validation checks `detectLocalMode`; in older versions, kube-proxy does not start with an unknown one. */
  detectLocalModeValidated: { since: '1.28' },
  /** The message for an unknown mode lists the modes with blanks between them. */
  modesListedWithBlanks: { since: '1.28' },
  /** `udpIdleTimeout` exists, and must be positive. */
  udpIdleTimeout: { until: '1.26' },
  /** Local traffic can be detected by interfaces. */
  detectLocalByInterface: { since: '1.24' },
  /** Any name of an ipvs scheduler is accepted; in older versions, only the schedulers that kube-proxy knows. */
  anyScheduler: { since: '1.27' },
  /** `nodePortAddresses: [primary]` is supported. */
  primaryNodePortAddresses: { since: '1.31' },
  /**
   * `nodePortAddresses` can contain `primary`, `localhost` and `all`, together with each other and with networks.
   */
  nodePortAddressWords: { since: '1.37' },
  /**
   * `nodePortAddresses` without a network of the family selects no address of it; in newer versions, all addresses.
   */
  nodePortNetworksOfEitherFamily: { modes: ['iptables', 'ipvs'], until: '1.19' },
  /** If `nodePortAddresses` is not set, node ports are served only on the node IP. */
  ownNodePortAddress: { modes: ['nftables'], since: '1.30', until: '1.31' },
  /** `nodePortAddresses` is `[primary]` by default. */
  primaryNodePortAddressesByDefault: { modes: ['nftables'], since: '1.31' },
  /** Node ports can be served on 127.0.0.0/8 (`localhostNodePorts`). */
  localhostNodePorts: { modes: ['iptables'] },
  /**
   * kube-proxy itself serves TCP node ports on configured loopback addresses, and rejects connections to all other node
   * ports there.
   */
  rejectedLocalhostNodePorts: { modes: ['nftables'], gates: ['KubeProxyNFTablesLocalhostNodePorts'] },
  /** The mode is deprecated. */
  modeDeprecated: { modes: ['ipvs'], since: '1.35' },
  /** A configuration without a mode is deprecated, because the default mode is going to change. */
  unsetModeDeprecated: { since: '1.37' },

  /** Networks of pods and source ranges are printed as given, with bits after their prefix. */
  networksAsWritten: { until: '1.30' },

  // Services and their endpoints.

  /** The name alone identifies a port of a Service; in other modes and versions, name and protocol. */
  portsByNameAlone: [{ modes: ['userspace'] }, { until: '1.17' }],
  /** Endpoints belong to a service port by its name alone; in newer versions, by name and protocol. */
  endpointsByNameAlone: { modes: ['iptables', 'ipvs'], until: '1.17' },
  /** If a service port has no name, its text in comments and hash inputs ends with a colon: `default/web:`. */
  colonAfterServiceName: { until: '1.19' },
  /** Services and endpoints with the label `service.kubernetes.io/headless` have no rules. */
  headlessLabel: { since: '1.16' },
  /**
   * The label `service-proxy-name` excludes Services only, and `headless` excludes their endpoints only; in older
   * versions, each excludes both.
   */
  oneLabelPerKind: { since: '1.36' },
  /** Only the cluster IP in `spec.clusterIP` of a Service is served. */
  onlyFirstClusterIP: [{ modes: ['userspace'] }, { until: '1.20' }],
  /** kube-proxy serves health-check node ports. */
  healthCheckNodePorts: { modes: ['iptables', 'ipvs', 'nftables'] },
  /** External IPs are served. */
  externalIPs: { gates: ['AllowServiceExternalIPs'] },
  /** External IPs are deprecated. */
  externalIPsDeprecated: { since: '1.36' },
  /**
   * External IPs follow the external traffic policy; in older versions, their packets are always masqueraded and reach
   * all endpoints.
   */
  externalIPsFollowPolicy: [{ gates: ['ExternalPolicyForExternalIP'] }, { modes: ['userspace'] }],
  /** A Service of type ClusterIP with external IPs has an external traffic policy. */
  externalPolicyOfClusterIP: { since: '1.29' },
  /** `internalTrafficPolicy` of a Service is applied. */
  internalTrafficPolicy: { gates: ['ServiceInternalTrafficPolicy'] },
  /**
   * The internal traffic policy Local limits all traffic of a Service to the endpoints on this node, and is ignored if
   * the external policy is Local. A Service without endpoints on this node rejects every packet.
   */
  internalPolicyOfAllTraffic: { modes: ['iptables', 'ipvs'], until: '1.24' },
  /** With the external policy Local, the internal policy Local still applies to the cluster IP. */
  internalPolicyBesideExternal: { modes: ['ipvs'], until: '1.24' },
  /** Load-balancer ingress entries with `ipMode: Proxy` are skipped. */
  loadBalancerIPMode: { gates: ['LoadBalancerIPMode'] },
  /** Blanks around source ranges are ignored; in older versions, such a range is invalid. */
  sourceRangesTrimmed: { since: '1.20' },
  /** A zero CIDR among the source ranges accepts every source. */
  zeroSourceRangeAcceptsAll: { since: '1.34' },
  /** Endpoints come from EndpointSlices; in older versions, from Endpoints objects, in the order of the addresses there. */
  endpointSlices: [
    { gates: ['EndpointSliceProxying'] },
    { gates: ['EndpointSlice'], until: '1.18' },
    { modes: ['nftables', 'userspace'] },
  ],
  /** Repeated endpoints of an Endpoints object are one endpoint, because a virtual server has a real server only once. */
  realServersOnce: { modes: ['ipvs'] },
  /** Slices can have the address type `IP`, for addresses of the family of the node. */
  addressTypeIP: { until: '1.20' },
  /** Endpoints of a slice have a `topology`, which names their node. */
  endpointTopology: { until: '1.22' },
  /** Two endpoints with the same address are one endpoint, even if their ports differ. */
  endpointsByAddress: { modes: ['iptables', 'ipvs'], since: '1.19', until: '1.22' },
  /** Endpoints that are not ready are stored. */
  notReadyEndpoints: [{ since: '1.21' }, { modes: ['userspace'] }],
  /** Endpoints that serve while they terminate are used if no endpoint is ready. */
  terminatingEndpoints: { gates: ['ProxyTerminatingEndpoints'] },
  /**
   * Endpoints of a slice keep the order of the slice; in older versions, they are sorted by their comma-separated
   * addresses.
   */
  endpointsInSliceOrder: { since: '1.31' },
  /**
   * If two endpoints have the same address, the endpoint that is not terminating has precedence; in older versions, the
   * local endpoint has precedence.
   */
  runningEndpointWins: { since: '1.36' },
  /** Topology hints select endpoints. */
  topologyHints: { gates: ['ServiceTrafficDistribution', 'TopologyAwareHints'] },
  /** Topology hints are used only with the annotation `service.kubernetes.io/topology-mode`. */
  hintsNeedAnnotation: { withoutGate: 'ServiceTrafficDistribution' },
  /** The annotation `topology-mode` exists, and every value except `disabled` enables hints; in older versions, only `auto`. */
  topologyModeAnnotation: { since: '1.27' },
  /** `spec.topologyKeys` of a Service selects endpoints by the labels of the node. */
  topologyKeys: { gates: ['ServiceTopology'] },
  /** Node hints are used before zone hints. */
  nodeHints: { gates: ['PreferSameTrafficDistribution'] },

  // UDP connections that are deleted after a change.

  /** An endpoint keeps its connections while it serves, even while it terminates; in older versions, while it is ready. */
  servingKeepsConnections: { since: '1.29' },
  /** An endpoint that is no longer ready loses its connections; in older versions, only a removed endpoint does. */
  unreadyLosesConnections: { since: '1.23' },
  /** The first endpoint of a service port makes connections to its load-balancer IPs stale. */
  firstEndpointAtLoadBalancers: { since: '1.23' },
  /** The first endpoint of a service port makes connections to its node port stale. */
  firstEndpointAtNodePort: [
    { modes: ['iptables'], since: '1.21' },
    { modes: ['ipvs'], since: '1.27' },
  ],
  /** When kube-proxy opens a node port, connections to the port are stale, once for each address that serves it. */
  openedNodePorts: [
    { modes: ['iptables'], until: '1.21' },
    { modes: ['ipvs'], until: '1.24' },
  ],
  /** Connections to all node ports are stale after any change. */
  nodePortsAlwaysStale: { modes: ['ipvs'], since: '1.24', until: '1.27' },
  /** Connections from a node port to a lost endpoint are stale. */
  lostEndpointAtNodePort: [{ modes: ['iptables'] }, { modes: ['ipvs'], since: '1.27' }],
  /** With a node port, connections from the cluster IP to a lost endpoint are kept, by an oversight. */
  nodePortInsteadOfClusterIP: { modes: ['iptables'], until: '1.20' },

  // Rules of iptables, in any mode.

  /** MASQUERADE always has `--random-fully`, even if iptables does not support the option. */
  alwaysRandomFully: { since: '1.37' },
  /** kube-proxy counts dropped and accepted packets with nfacct. */
  nfacctCounters: { since: '1.32' },
  /**
   * KUBE-POSTROUTING clears the mark of a packet before it masquerades the packet, so that a packet that traverses the
   * chain twice is not masqueraded twice (kubernetes/kubernetes#92035).
   */
  markClearedBeforeSnat: { since: MARK_CLEARED_SINCE as readonly string[] },
  /** MASQUERADE rules can have the option `--random-fully`. */
  randomFully: { since: '1.16' },
  /**
   * A single rule accepts forwarded packets of tracked connections. In older versions, there is one rule for each
   * direction of pod traffic.
   */
  forwardingByOneRule: { since: '1.23' },
  /**
   * The rules that accept forwarded packets of tracked connections match the pod network. If there is no pod network,
   * these rules do not exist.
   */
  forwardingByPodNetwork: { until: '1.18' },
  /** Cleanup also removes KUBE-PROXY-FIREWALL. */
  cleanupRemovesProxyFirewall: { modes: ['iptables'], since: '1.31' },

  // Mode iptables.

  /**
   * kube-proxy adds the rule to KUBE-FIREWALL that protects 127.0.0.0/8 from other hosts. In older versions, only the
   * kubelet adds this rule.
   */
  localnetGuard: { modes: ['iptables'], since: '1.27' },
  /**
   * The last rule of KUBE-FW has only a comment and no target. The comment names the chain that drops all other
   * traffic.
   */
  firewallEndsWithNote: { modes: ['iptables'], since: '1.27' },
  /** Node ports have rules even if no address of the node serves them. */
  nodePortRulesWithoutAddress: [
    { modes: ['iptables'], until: '1.19' },
    { modes: ['iptables'], since: '1.27' },
  ],
  /**
   * The field `localhostNodePorts` does not exist, and every loopback address serves node ports, including `::1`.
   */
  loopbackAlwaysServed: { modes: ['iptables'], until: '1.26' },
  /**
   * Rules in the filter table drop traffic that a Service does not accept: KUBE-PROXY-FIREWALL checks source ranges,
   * and one rule for each frontend without local endpoints drops its packets. In older versions, KUBE-MARK-DROP marks
   * the packets, and a rule of the kubelet drops marked packets.
   */
  dropsInFilter: { modes: ['iptables'], since: '1.25' },
  /**
   * If the chain KUBE-MARK-DROP does not exist, kube-proxy creates it without rules. The kubelet adds the rules of this
   * chain.
   */
  markDropEnsured: { modes: ['iptables'], since: '1.20', until: '1.25' },
  /**
   * A service port with policy Local has a chain KUBE-XLB, and a service port with load-balancer IPs has a chain
   * KUBE-FW. From 1.24 on, packets to external destinations go through KUBE-EXT, packets to endpoints on this node go
   * through KUBE-SVL, and the comments of rules in KUBE-SVC name the endpoint.
   */
  xlbChains: { modes: ['iptables'], until: '1.24' },
  /** Locally generated packets to external addresses of a Service with policy Local reach only endpoints on this node. */
  ownPacketsKeptLocal: { modes: ['iptables'], until: '1.16' },
  /** With policy Cluster, packets from pods to an external IP are not masqueraded. */
  podsKnownAtExternalIPs: { modes: ['iptables'], since: '1.21', until: '1.24' },
  /** The rules of an external IP exclude packets that a bridge of this node forwards. */
  externalIPsSpareBridges: { modes: ['iptables'], until: '1.21' },
  /**
   * KUBE-SVC marks the packets of all frontends that must be masqueraded. Before 1.22, the chain that jumps to KUBE-SVC
   * marks these packets. From 1.24 on, KUBE-EXT marks packets to external destinations.
   */
  masqueradeInServiceChain: { modes: ['iptables'], since: '1.22', until: '1.24' },
  /**
   * If no address of the node serves node ports, a service port with a node port has no rules for the node port and its
   * endpoints.
   */
  endsAtUnservedNodePort: { modes: ['iptables'], since: '1.19', until: '1.23' },
  /** Single addresses are written with their prefix length, such as `/32`. */
  addressesWithLength: { modes: ['iptables'], until: '1.23' },
  /**
   * The comments of the rules that choose an endpoint in KUBE-XLB contain numbers. The rules of KUBE-XLB have comments
   * even in large clusters.
   */
  numberedXlbRules: { modes: ['iptables'], until: '1.23' },
  /** Load-balancer IPs without endpoints are rejected in KUBE-SERVICES. */
  loadBalancersRejectedInServices: { modes: ['iptables'], until: '1.19' },
  /** The rules of KUBE-SVC and KUBE-SEP have no comments, because of a bug of kube-proxy. */
  endpointRulesWithoutComment: { modes: ['iptables'], until: '1.18' },
  /** Probabilities of `statistic` matches are written with five decimals. */
  shortProbabilities: { modes: ['iptables'], until: '1.17' },
  /** A rule in the filter table accepts packets to health-check node ports. */
  healthChecksAccepted: { modes: ['iptables', 'ipvs'], since: '1.21' },
  /** INPUT jumps to KUBE-SERVICES, and FORWARD does not jump to KUBE-EXTERNAL-SERVICES. */
  inputEntersServices: { modes: ['iptables'], until: '1.19' },
  /** Cleanup also removes the jump from INPUT to KUBE-SERVICES of older versions. Its end is inferred. */
  cleanupRemovesInputJump: { modes: ['iptables'], since: '1.19', until: '1.25' },
  /** Cleanup also removes KUBE-XLB. */
  cleanupRemovesXlb: { modes: ['iptables'], until: '1.28' },
  /**
   * KUBE-FORWARD drops packets in the conntrack state INVALID instead of forwarding them (kubernetes/kubernetes#74840).
   */
  dropsInvalid: { modes: ['iptables'], since: '1.16' },
  /** Invalid packets are forwarded if `nf_conntrack_tcp_be_liberal` is set. */
  liberalTcpForwarded: { modes: ['iptables'], since: '1.29' },

  // Mode userspace.

  /** A local process accepts the connections. The process ignores traffic policies and `nodePortAddresses`. */
  connectionsTaken: { modes: ['userspace'] },
  /** Destinations are written with their prefix length. */
  destinationsWithLength: { modes: ['userspace'], until: '1.23' },

  // Mode ipvs.

  /**
   * KUBE-IPVS-FILTER accepts packets to external IPs of Services with policy Local. In older versions, the chain
   * rejects these packets.
   */
  accessToLocalExternalIPs: { modes: ['ipvs'], since: '1.30' },
  /**
   * KUBE-IPVS-OUT-FILTER checks whether the source ranges of a Service allow locally generated packets to its
   * load-balancer IPs.
   */
  ownPacketsFiltered: { modes: ['ipvs'], since: '1.29' },
  /**
   * KUBE-IPVS-FILTER accepts packets to health-check node ports. In older versions, the chain rejects such packets to
   * Service addresses.
   */
  accessToHealthChecks: { modes: ['ipvs'], since: '1.28' },
  /**
   * External and load-balancer IPs are bound to kube-ipvs0 even if another interface of the node has them. From the next sync on
   * such an address no longer serves node ports (kubernetes/kubernetes#114815).
   */
  ownAddressesBound: { modes: ['ipvs'], until: '1.28' },
  /** Scheduler mh also hashes the port of the client. */
  maglevHashesPort: { modes: ['ipvs'], since: '1.27' },
  /** Every address of kube-ipvs0 that no Service has is unbound; before, only addresses of deleted virtual servers are. */
  unusedAddressesUnbound: { modes: ['ipvs'], since: '1.27' },
  /** The first sync after a start resets the weights of real servers. */
  weightsReset: { modes: ['ipvs'], since: '1.26' },
  /** Real servers over SCTP are deleted at once; before, they waited for their connections to end. */
  sctpServersDeletedAtOnce: { modes: ['ipvs'], since: '1.19' },
  /** Real servers over UDP are deleted at once; before, they waited for their connections to end. 1.15 is inferred. */
  udpServersDeletedAtOnce: { modes: ['ipvs'], since: '1.15' },
  /** A virtual server without a Service first loses its real servers, and a later sync deletes it. 1.15 is inferred. */
  serversEmptiedFirst: { modes: ['ipvs'], until: '1.15' },
  /** KUBE-IPVS-FILTER rejects packets to unused ports of Service addresses. */
  accessFilter: { modes: ['ipvs'], since: '1.26' },
  /** Packets from loopback addresses of the node to Services are not masqueraded. */
  loopbackNotMasqueraded: { modes: ['ipvs'], since: '1.26' },
  /**
   * Rules in the nat table check source ranges. KUBE-MARK-DROP marks packets from other sources, and a rule of the
   * kubelet drops them.
   */
  sourceRangesInNat: { modes: ['ipvs'], until: '1.25' },
  /**
   * If the chain KUBE-MARK-DROP does not exist, kube-proxy creates it. kube-proxy 1.14 only jumps to this chain. The
   * behavior of 1.15 is inferred.
   */
  markDropCreated: { modes: ['ipvs'], since: '1.15', until: '1.25' },
  /**
   * Packets to SCTP node ports with policy Local leave KUBE-NODE-PORT before packets are marked; in older versions, they
   * are masqueraded, too.
   */
  localSctpNodePortsReturn: { modes: ['ipvs'], since: '1.23' },
  /** Node ports are also served on loopback addresses. */
  nodePortsOnLoopback: { modes: ['ipvs'], until: '1.22' },
  /**
   * The set KUBE-EXTERNAL-IP-LOCAL contains the external IPs of Services with policy Local. In older versions, this set
   * is empty.
   */
  localExternalIPSet: { modes: ['ipvs'], since: '1.18' },
  /** IPv6 sets have the prefix `KUBE-6-`; before, they have the names of the IPv4 sets. 1.15 is inferred. */
  ipv6SetNames: { modes: ['ipvs'], since: '1.16' },
  /**
   * SCTP node ports are in sets of address and port. In older versions, they are in bitmaps of ports, and no rule
   * masquerades their packets. The behavior of 1.15 is inferred.
   */
  sctpNodePortsByAddress: { modes: ['ipvs'], since: '1.16' },
  /** Sets contain only node ports that an address of the node serves; before, they contain all TCP and UDP node ports.
   * 1.15 is inferred. */
  servedNodePortsOnly: { modes: ['ipvs'], since: '1.15' },
  /** Without local endpoints, policy Local uses the endpoints on other nodes for cluster-internal traffic; before, the
   * virtual server has no real servers. */
  localFallsBack: { modes: ['ipvs'], since: '1.24' },

  // Mode nftables.

  /**
   * The table has the layout of the alpha release: filters run before DNAT for locally generated packets only, two sets
   * contain the source ranges, packets to unused ports of cluster IPs are not rejected, and packets in the conntrack
   * state INVALID are not forwarded.
   */
  alphaTable: { modes: ['nftables'], until: '1.30' },
  /** Stale UDP connections are not deleted. */
  staleConnectionsKept: { modes: ['nftables'], until: '1.30' },
  /** All filter chains run before DNAT, except for one chain that filters locally generated packets. */
  earlyFilters: { modes: ['nftables'], until: '1.34' },
  /** The rule that masquerades packets to a cluster IP also matches the port, so each service port has its own rule. */
  masqueradeMatchesPort: { modes: ['nftables'], until: '1.34' },
  /** The elements of the map firewall-ips have comments. */
  firewallElementComments: { modes: ['nftables'], until: '1.32' },
  /** Interfaces are matched by name; in older versions, an interface had to exist when the rules were loaded. */
  interfacesByName: { modes: ['nftables'], since: '1.35' },
  /**
   * Only endpoints of Services with session affinity have chains. A set of address pairs matches packets from an
   * endpoint to itself, a single rule masquerades packets to cluster IPs, and each chain sets the mark itself.
   */
  squashedEndpoints: { modes: ['nftables'], since: '1.36' },
  /** If a service port has a single endpoint, its rule contains the address of the endpoint instead of a map. */
  singleEndpointDnat: { modes: ['nftables'], since: '1.37' },
  /**
   * Comments are truncated to the limit of nft; in older versions, a longer comment made the whole transaction fail.
   */
  cutComments: { modes: ['nftables'], since: '1.37' },
} as const

/** The behavior of a kube-proxy version in a mode, by feature. */
export type Features = { readonly [Name in FeatureName]: boolean }

/** The name of a difference between versions of kube-proxy. */
export type FeatureName = keyof typeof HISTORY

const ROWS: Readonly<Record<FeatureName, Row | readonly Row[]>> = HISTORY
const FEATURE_NAMES: readonly FeatureName[] = keysOf(HISTORY)

/**
 * Returns the features of a kube-proxy version in a mode with these feature gates. Gates unknown to the version have no
 * effect.
 */
export function featuresOf(mode: ProxyMode, version: string, gates: ReadonlyMap<string, boolean>): Features {
  return createRecord(FEATURE_NAMES, (name) => [ROWS[name]].flat().some((row: Row) => holds(row, mode, version, gates)))
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
  if (gates?.some((gate) => isGateEnabled(gate, version, given)) === false) return false
  return withoutGate === undefined || !isGateEnabled(withoutGate, version, given)
}

/** Returns the names of the features that differ between two versions. */
export function differingFeatures(a: Features, b: Features): readonly FeatureName[] {
  return FEATURE_NAMES.filter((name) => a[name] !== b[name])
}

/**
 * Returns the versions of a mode that have the features with value true and lack the features with value false, by
 * default or with every gate on.
 */
export function findVersionsWithFeatures(mode: ProxyMode, features: Partial<Features>): readonly string[] {
  const everyStage = new Map(Object.values(STAGE_GATES).map((gate): [string, boolean] => [gate, true]))
  return versionsOf(mode).filter((version) =>
    [new Map<string, boolean>(), everyStage].some((gates) => {
      const featuresOfVersion = featuresOf(mode, version, gates)
      return FEATURE_NAMES.every((name) => features[name] === undefined || features[name] === featuresOfVersion[name])
    }),
  )
}

/** Returns the state of a gate in a version; undefined if the version does not have it. */
export function gateReleaseOf(gate: FeatureGate, version: string): GateRelease | undefined {
  return FEATURE_GATES[gate].filter((release) => isAtLeast(version, release.since)).at(-1)
}

/**
 * Reports whether a gate is on in a version with these gates set. In versions before its gate existed, the feature is
 * on if it is older than the gate.
 */
export function isGateEnabled(gate: FeatureGate, version: string, gates: ReadonlyMap<string, boolean>): boolean {
  const release = gateReleaseOf(gate, version)
  if (release === undefined) return FEATURE_GATES[gate][0]?.stage === 'deprecated'
  if (release.stage === 'stable' || release.stage === 'removed') return release.enabled
  const ofStage = release.stage === 'deprecated' ? undefined : gates.get(STAGE_GATES[release.stage])
  return gates.get(gate) ?? ofStage ?? release.enabled
}
