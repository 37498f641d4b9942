import { createRecord, keysOf } from '../../internal/create-record.js'
import { FEATURE_GATES, type FeatureGate, type FeatureGateRelease, STAGE_GATES } from './feature-gates.js'
import { isVersionAtLeast, MARK_CLEARED_SINCE, type ProxyMode, versionsOf } from './versions.js'

/**
 * The conditions of a feature. All conditions of a row must be true. If a feature has several rows, at least one row
 * must be true.
 */
interface Row {
  /** The modes that have the feature. The feature is off in every other mode. Absent if every mode has the feature. */
  readonly modes?: readonly ProxyMode[]
  /**
   * The first version with the feature. If patches of older minor versions also have the feature, this is a list of
   * versions.
   */
  readonly since?: string | readonly string[]
  /** The first version without the feature. May be a list of versions, like `since`. */
  readonly until?: string | readonly string[]
  /** Feature gates. At least one of these gates must be on. */
  readonly gates?: readonly FeatureGate[]
  /** This gate is off. */
  readonly withoutGate?: FeatureGate
}

/**
 * The differences between versions and modes of kube-proxy, as named booleans. The comment of each row documents the
 * difference. A difference is one row here and one branch where the feature is used. No other code compares versions.
 */
const HISTORY = {
  // The configuration.

  /** The feature gates of the version are known, so an unknown feature gate is rejected. */
  featureGatesKnown: { since: '1.30' },
  /**
   * kube-proxy serves only the address family of the node. In newer versions, and with the feature gate IPv6DualStack,
   * kube-proxy serves both families.
   */
  singleStack: { withoutGate: 'IPv6DualStack' },
  /**
   * The node IP is `bindAddress`, because kube-proxy serves both families (see `singleStack`). By default, `bindAddress`
   * is unspecified, so source ranges contain the node only if they contain `0.0.0.0` or `::`.
   */
  nodeIPIsBindAddress: { modes: ['iptables', 'ipvs'], gates: ['IPv6DualStack'], until: '1.28' },
  /**
   * The node IP is the first address of the Node. In the other family, the node IP is the unspecified address.
   */
  nodeIPIsFirstAddress: { modes: ['iptables', 'ipvs'], since: '1.28', until: '1.29' },
  /**
   * The validation checks `detectLocalMode`. In older versions, kube-proxy does not start if `detectLocalMode` is
   * unknown.
   */
  detectLocalModeValidated: { since: '1.28' },
  /** The error message for an unknown mode lists the valid modes with spaces between them. */
  modesListedWithBlanks: { since: '1.28' },
  /** The field `udpIdleTimeout` exists, and its value must be positive. */
  udpIdleTimeout: { until: '1.26' },
  /** kube-proxy starts again if the addresses of the Node change. In older versions, it keeps the addresses of its start. */
  restartsForAddresses: { since: '1.37' },
  /**
   * With `detectLocalMode: NodeCIDR`, kube-proxy starts again if the pod networks of the Node change
   * (kubernetes/kubernetes#111344). In older versions, it keeps the networks of its start.
   */
  restartsForPodNetworks: { since: '1.23' },
  /**
   * kube-proxy keeps the zone of a deleted Node until it starts again (kubernetes/kubernetes#130837). Older versions
   * forget the zone, and newer ones start again.
   */
  keepsZone: { since: '1.35', until: '1.37' },
  /** `/healthz` and `/livez` report the health of each address family. */
  healthOfFamilies: { since: '1.33' },
  /** `/healthz` fails as long as kube-proxy has not seen its Node. */
  healthNeedsNode: { since: '1.35' },
  /** Local traffic can be detected by the incoming interface. */
  detectLocalByInterface: { since: '1.24' },
  /**
   * Any name of an IPVS scheduler is accepted. In older versions, only the schedulers that kube-proxy lists are
   * accepted.
   */
  anyScheduler: { since: '1.27' },
  /** `nodePortAddresses: [primary]` is supported. */
  primaryNodePortAddresses: { since: '1.31' },
  /**
   * `nodePortAddresses` can contain `primary`, `localhost` and `all`, together with each other and with networks.
   */
  nodePortAddressWords: { since: '1.37' },
  /**
   * The networks of both families in `nodePortAddresses` apply to both families. Therefore a list with networks of one
   * family selects no address of the other family, and a zero CIDR selects the addresses of both. In newer versions, a
   * list without networks of a family selects all its addresses.
   */
  nodePortNetworksOfEitherFamily: { modes: ['iptables', 'ipvs'], until: '1.19' },
  /** If `nodePortAddresses` is not set, node ports are served only on the node IP. */
  ownNodePortAddress: { modes: ['nftables'], since: '1.30', until: '1.31' },
  /** `nodePortAddresses` is `[primary]` by default. */
  primaryNodePortAddressesByDefault: { modes: ['nftables'], since: '1.31' },
  /** Node ports can be served on 127.0.0.0/8 (`localhostNodePorts`). */
  localhostNodePorts: { modes: ['iptables'] },
  /**
   * kube-proxy itself serves TCP node ports on the configured loopback addresses. On loopback addresses, connections to
   * all other node ports are rejected.
   */
  rejectedLocalhostNodePorts: { modes: ['nftables'], gates: ['KubeProxyNFTablesLocalhostNodePorts'] },
  /** The mode is deprecated. */
  modeDeprecated: { modes: ['ipvs'], since: '1.35' },
  /** A configuration without a mode is deprecated, because the default mode will change. */
  unsetModeDeprecated: { since: '1.37' },

  /** Networks of pods and source ranges are printed as given, including host bits after the prefix. */
  networksAsWritten: { until: '1.30' },

  // Services and their endpoints.

  /**
   * The name alone identifies a port of a Service. In other modes and versions, the name and the protocol identify the
   * port.
   */
  portsByNameAlone: [{ modes: ['userspace'] }, { until: '1.17' }],
  /**
   * The name alone determines the endpoints of a service port. In newer versions, the name and the protocol determine
   * them.
   */
  endpointsByNameAlone: { modes: ['iptables', 'ipvs'], until: '1.17' },
  /**
   * If a service port has no name, the text of the service port in comments and hash inputs ends with a colon:
   * `default/web:`.
   */
  colonAfterServiceName: { until: '1.19' },
  /** Services and endpoints with the label `service.kubernetes.io/headless` have no rules. */
  headlessLabel: { since: '1.16' },
  /**
   * The label `service-proxy-name` excludes only Services, and the label `headless` excludes only endpoints. In older
   * versions, each label excludes Services and endpoints.
   */
  oneLabelPerKind: { since: '1.36' },
  /** Of the cluster IPs of a Service, only `spec.clusterIP` is served. */
  onlyFirstClusterIP: [{ modes: ['userspace'] }, { until: '1.20' }],
  /** kube-proxy serves health-check node ports. */
  healthCheckNodePorts: { modes: ['iptables', 'ipvs', 'nftables'] },
  /** External IPs are served. */
  externalIPs: { gates: ['AllowServiceExternalIPs'] },
  /** External IPs are deprecated. */
  externalIPsDeprecated: { since: '1.36' },
  /**
   * External IPs follow the external traffic policy. In older versions, packets to external IPs are always masqueraded
   * and reach all endpoints.
   */
  externalIPsFollowPolicy: [{ gates: ['ExternalPolicyForExternalIP'] }, { modes: ['userspace'] }],
  /** A Service of type ClusterIP with external IPs has an external traffic policy. */
  externalPolicyOfClusterIP: { since: '1.29' },
  /** `internalTrafficPolicy` of a Service is applied. */
  internalTrafficPolicy: { gates: ['ServiceInternalTrafficPolicy'] },
  /**
   * The internal traffic policy Local limits all traffic of a Service, including external traffic, to the endpoints on
   * this node. If the external policy is Local, the internal policy is ignored. A Service without endpoints on this
   * node rejects every packet.
   */
  internalPolicyOfAllTraffic: { modes: ['iptables', 'ipvs'], until: '1.24' },
  /**
   * The internal policy Local applies to the cluster IP, even if the external policy is also Local (see
   * `internalPolicyOfAllTraffic`).
   */
  internalPolicyBesideExternal: { modes: ['ipvs'], until: '1.24' },
  /** Load-balancer ingress entries with `ipMode: Proxy` are skipped. */
  loadBalancerIPMode: { gates: ['LoadBalancerIPMode'] },
  /** Spaces around source ranges are ignored. In older versions, a source range with spaces is invalid. */
  sourceRangesTrimmed: { since: '1.20' },
  /**
   * A zero CIDR among the source ranges accepts every source. Every zero CIDR in `nodePortAddresses` selects all
   * addresses, such as `10.0.0.0/0`; in older versions, only `0.0.0.0/0` and `::/0` do (kubernetes/kubernetes#132722).
   */
  zeroNetworksMatchAll: { since: '1.34' },
  /**
   * Endpoints come from EndpointSlices. In older versions, endpoints come from Endpoints objects, in the order of the
   * addresses in these objects.
   */
  endpointSlices: [
    { gates: ['EndpointSliceProxying'] },
    { gates: ['EndpointSlice'], until: '1.18' },
    { modes: ['nftables', 'userspace'] },
  ],
  /**
   * If an Endpoints object contains the same endpoint several times, it counts once, because a virtual server cannot
   * have the same real server twice.
   */
  realServersOnce: { modes: ['ipvs'] },
  /** EndpointSlices can have the address type `IP`, for addresses of the family of the node. */
  addressTypeIP: { until: '1.20' },
  /** Endpoints of an EndpointSlice have the field `topology`, which contains the name of the node. */
  endpointTopology: { until: '1.22' },
  /** Two endpoints with the same address count as one endpoint, even if their ports differ. */
  endpointsByAddress: { modes: ['iptables', 'ipvs'], since: '1.19', until: '1.22' },
  /** Endpoints that are not ready are stored. In older versions, they are ignored. */
  notReadyEndpoints: [{ since: '1.21' }, { modes: ['userspace'] }],
  /** If no endpoint is ready, serving endpoints that are terminating are used. */
  terminatingEndpoints: { gates: ['ProxyTerminatingEndpoints'] },
  /**
   * Endpoints of an EndpointSlice keep their order. In older versions, endpoints are sorted by their comma-separated
   * addresses.
   */
  endpointsInSliceOrder: { since: '1.31' },
  /**
   * If two endpoints have the same address, the endpoint that is not terminating has precedence. In older versions, the
   * local endpoint has precedence.
   */
  runningEndpointWins: { since: '1.36' },
  /** Topology hints select endpoints. */
  topologyHints: { gates: ['TopologyAwareHints'] },
  /** Topology hints are used only with the annotation `service.kubernetes.io/topology-mode`. */
  hintsNeedAnnotation: { withoutGate: 'ServiceTrafficDistribution' },
  /**
   * The annotation `topology-mode` exists, and every value except `disabled` enables hints. In older versions, only the
   * value `auto` enables hints.
   */
  topologyModeAnnotation: { since: '1.27' },
  /** `spec.topologyKeys` of a Service selects endpoints by the labels of the node. */
  topologyKeys: { gates: ['ServiceTopology'] },
  /**
   * A Node without a zone uses endpoints with a hint for the zone with the empty name. In older versions, a Node without
   * a zone ignores hints.
   */
  emptyZoneHints: { since: '1.33' },
  /** Node hints have precedence over zone hints. */
  nodeHints: { gates: ['PreferSameTrafficDistribution'] },

  /**
   * If several frontends of a service port have the same address and port, the last frontend gets the packets, because
   * kube-proxy replaces what it wrote for an earlier one. In other modes and versions, the first frontend gets them.
   */
  laterFrontendWins: [{ modes: ['ipvs'] }, { modes: ['nftables'], since: '1.32' }],
  /** If the node port of a service port is at one of its own addresses and ports, the node port counts as a later frontend. */
  nodePortsOverrideAddresses: { modes: ['ipvs'] },

  // Features about stale UDP connections, which are deleted after a change.

  /**
   * If a service port appears after its endpoints, its connections are kept, because only changes of endpoints make
   * connections stale. Newer versions compare the conntrack table with the rules.
   */
  newPortsKeepConnections: { modes: ['iptables', 'ipvs', 'nftables'], until: '1.32' },

  /**
   * An endpoint keeps its connections while it is serving, even if it is terminating. In older versions, an endpoint
   * keeps its connections while it is ready.
   */
  servingKeepsConnections: { since: '1.29' },
  /**
   * An endpoint that is no longer ready loses its connections. In older versions, only a removed endpoint loses its
   * connections.
   */
  unreadyLosesConnections: { since: '1.23' },
  /** If a service port gets its first endpoint, connections to its load-balancer IPs become stale. */
  firstEndpointAtLoadBalancers: { since: '1.23' },
  /** If a service port gets its first endpoint, connections to its node port become stale. */
  firstEndpointAtNodePort: [
    { modes: ['iptables'], since: '1.21' },
    { modes: ['ipvs'], since: '1.27' },
  ],
  /**
   * If kube-proxy opens a node port, connections to the node port become stale. They are deleted once for each address
   * that serves the node port.
   */
  openedNodePorts: [
    { modes: ['iptables'], until: '1.21' },
    { modes: ['ipvs'], until: '1.24' },
  ],
  /** After any change, connections to all node ports become stale. */
  nodePortsAlwaysStale: { modes: ['ipvs'], since: '1.24', until: '1.27' },
  /**
   * If a service port with a node port loses an endpoint, connections to the node port that were translated to this
   * endpoint become stale.
   */
  lostEndpointAtNodePort: [{ modes: ['iptables'] }, { modes: ['ipvs'], since: '1.27' }],
  /**
   * If a service port has a node port, connections to the cluster IP that were translated to a lost endpoint are kept,
   * because of a kube-proxy bug.
   */
  nodePortInsteadOfClusterIP: { modes: ['iptables'], until: '1.20' },

  // Features of the iptables rules in all modes.

  /** MASQUERADE rules always have the option `--random-fully`, even if iptables does not support the option. */
  alwaysRandomFully: { since: '1.37' },
  /** kube-proxy counts dropped and accepted packets with nfacct. */
  nfacctCounters: { since: '1.32' },
  /**
   * KUBE-POSTROUTING clears the mark of a packet before it masquerades the packet. Therefore, a packet that traverses
   * the chain twice is not masqueraded twice (kubernetes/kubernetes#92035).
   */
  markClearedBeforeSnat: { since: MARK_CLEARED_SINCE as readonly string[] },
  /** MASQUERADE rules can have the option `--random-fully`. */
  randomFully: { since: '1.16' },
  /**
   * One rule accepts forwarded packets of tracked connections. In older versions, there is one rule for each direction
   * of pod traffic.
   */
  forwardingByOneRule: { since: '1.23' },
  /**
   * The rules that accept forwarded packets of tracked connections match the pod network. If there is no pod network,
   * these rules do not exist.
   */
  forwardingByPodNetwork: { until: '1.18' },
  /** Cleanup also removes KUBE-PROXY-FIREWALL. */
  cleanupRemovesProxyFirewall: { modes: ['iptables'], since: '1.31' },

  // iptables mode.

  /**
   * kube-proxy adds the rule to KUBE-FIREWALL that protects 127.0.0.0/8 from other hosts. In older versions, only the
   * kubelet adds this rule.
   */
  localnetGuard: { modes: ['iptables'], since: '1.27' },
  /**
   * The last rule of KUBE-FW has only a comment and no target. The comment names the chain that drops packets from
   * sources outside the source ranges.
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
  /**
   * The rules of an external IP match neither packets that a bridge of this node forwards nor packets that this node
   * sends, unless the external IP is a local address.
   */
  externalIPsSpareBridges: { modes: ['iptables'], until: '1.21' },
  /**
   * KUBE-SVC marks all packets of its service port that must be masqueraded. Before 1.22, the chain that jumps to
   * KUBE-SVC marks these packets. From 1.24 on, KUBE-EXT marks packets to external destinations.
   */
  masqueradeInServiceChain: { modes: ['iptables'], since: '1.22', until: '1.24' },
  /**
   * If no address of the node serves node ports, a service port with a node port has no rules for the node port, and no
   * rules for its endpoints.
   */
  endsAtUnservedNodePort: { modes: ['iptables'], since: '1.19', until: '1.23' },
  /** Individual addresses are written with their prefix length, such as `/32`. */
  addressesWithLength: { modes: ['iptables'], until: '1.23' },
  /**
   * The comments of the rules that choose an endpoint in KUBE-XLB contain numbers. The rules of KUBE-XLB have comments
   * even in large clusters.
   */
  numberedXlbRules: { modes: ['iptables'], until: '1.23' },
  /** Packets to load-balancer IPs of a service port without endpoints are rejected in KUBE-SERVICES. */
  loadBalancersRejectedInServices: { modes: ['iptables'], until: '1.19' },
  /** The rules of KUBE-SVC and KUBE-SEP have no comments, because of a kube-proxy bug. */
  endpointRulesWithoutComment: { modes: ['iptables'], until: '1.18' },
  /** Probabilities of `statistic` matches are written with five decimals. */
  shortProbabilities: { modes: ['iptables'], until: '1.17' },
  /** A rule in the filter table accepts packets to health-check node ports. */
  healthChecksAccepted: { modes: ['iptables', 'ipvs'], since: '1.21' },
  /** INPUT jumps to KUBE-SERVICES, and FORWARD does not jump to KUBE-EXTERNAL-SERVICES. */
  inputEntersServices: { modes: ['iptables'], until: '1.19' },
  /**
   * Cleanup also removes the jump from INPUT to KUBE-SERVICES, which older versions create. The last version with this
   * cleanup is inferred.
   */
  cleanupRemovesInputJump: { modes: ['iptables'], since: '1.19', until: '1.25' },
  /** Cleanup also removes KUBE-XLB. */
  cleanupRemovesXlb: { modes: ['iptables'], until: '1.28' },
  /**
   * KUBE-FORWARD drops packets in the conntrack state INVALID instead of forwarding them (kubernetes/kubernetes#74840).
   */
  dropsInvalid: { modes: ['iptables'], since: '1.16' },
  /** Packets in the conntrack state INVALID are forwarded if `nf_conntrack_tcp_be_liberal` is set. */
  liberalTcpForwarded: { modes: ['iptables'], since: '1.29' },

  // userspace mode.

  /** The userspace proxy, a local process, accepts the connections. It ignores traffic policies and `nodePortAddresses`. */
  connectionsTaken: { modes: ['userspace'] },
  /** Destinations are written with their prefix length. */
  destinationsWithLength: { modes: ['userspace'], until: '1.23' },

  // ipvs mode.

  /**
   * KUBE-IPVS-FILTER accepts packets to external IPs of Services with policy Local. In older versions, the chain
   * rejects these packets.
   */
  accessToLocalExternalIPs: { modes: ['ipvs'], since: '1.30' },
  /**
   * KUBE-IPVS-OUT-FILTER checks locally generated packets to the load-balancer IPs of a Service against the source
   * ranges of the Service.
   */
  ownPacketsFiltered: { modes: ['ipvs'], since: '1.29' },
  /**
   * KUBE-IPVS-FILTER accepts packets to health-check node ports. In older versions, the chain rejects such packets to
   * Service addresses.
   */
  accessToHealthChecks: { modes: ['ipvs'], since: '1.28' },
  /**
   * External and load-balancer IPs are bound to kube-ipvs0, even if another interface of the node already has the same
   * address.
   */
  ownAddressesBound: { modes: ['ipvs'], until: '1.28' },
  /**
   * An address of kube-ipvs0 does not serve node ports, even if another interface of the node has the same address
   * (kubernetes/kubernetes#114815). Older versions read the routes of the other interfaces, and newer versions read the
   * addresses of the other interfaces.
   */
  boundAddressesServeNoNodePorts: { modes: ['ipvs'], since: '1.23', until: '1.28' },
  /** The scheduler `mh` also hashes the port of the client. */
  maglevHashesPort: { modes: ['ipvs'], since: '1.27' },
  /**
   * Every address of kube-ipvs0 that is not an address of a Service is unbound. In older versions, only addresses of
   * deleted virtual servers are unbound.
   */
  unusedAddressesUnbound: { modes: ['ipvs'], since: '1.27' },
  /** The first sync after kube-proxy starts resets the weights of real servers. */
  weightsReset: { modes: ['ipvs'], since: '1.26' },
  /** SCTP real servers are deleted immediately. In older versions, they are deleted after their connections end. */
  sctpServersDeletedAtOnce: { modes: ['ipvs'], since: '1.19' },
  /**
   * UDP real servers are deleted immediately. In older versions, they are deleted after their connections end. The
   * behavior of 1.15 is inferred.
   */
  udpServersDeletedAtOnce: { modes: ['ipvs'], since: '1.15' },
  /**
   * If the Service of a virtual server was deleted, a sync first removes the real servers, and a later sync deletes the
   * virtual server. The behavior of 1.15 is inferred.
   */
  serversEmptiedFirst: { modes: ['ipvs'], until: '1.15' },
  /** KUBE-IPVS-FILTER rejects packets to unused ports of Service addresses. */
  accessFilter: { modes: ['ipvs'], since: '1.26' },
  /** Packets from loopback addresses of the node to Services are not masqueraded. */
  loopbackNotMasqueraded: { modes: ['ipvs'], since: '1.26' },
  /**
   * Rules in the nat table check source ranges. KUBE-MARK-DROP marks packets from other sources, and a rule of the
   * kubelet drops the marked packets.
   */
  sourceRangesInNat: { modes: ['ipvs'], until: '1.25' },
  /**
   * If the chain KUBE-MARK-DROP does not exist, kube-proxy creates it. kube-proxy 1.14 only jumps to this chain. The
   * behavior of 1.15 is inferred.
   */
  markDropCreated: { modes: ['ipvs'], since: '1.15', until: '1.25' },
  /**
   * Packets to SCTP node ports with policy Local leave KUBE-NODE-PORT before the masquerade mark is set. In older
   * versions, these packets are also masqueraded.
   */
  localSctpNodePortsReturn: { modes: ['ipvs'], since: '1.23' },
  /** Node ports are also served on loopback addresses. */
  nodePortsOnLoopback: { modes: ['ipvs'], until: '1.22' },
  /**
   * The set KUBE-EXTERNAL-IP-LOCAL contains the external IPs of Services with policy Local. In older versions, this set
   * is empty.
   */
  localExternalIPSet: { modes: ['ipvs'], since: '1.18' },
  /**
   * The names of IPv6 sets start with `KUBE-6-`. In older versions, IPv6 sets have the same names as IPv4 sets. The
   * behavior of 1.15 is inferred.
   */
  ipv6SetNames: { modes: ['ipvs'], since: '1.16' },
  /**
   * SCTP node ports are in `hash:ip,port` sets. In older versions, SCTP node ports are in `bitmap:port` sets, and no
   * rule masquerades packets to these ports. The behavior of 1.15 is inferred.
   */
  sctpNodePortsByAddress: { modes: ['ipvs'], since: '1.16' },
  /**
   * Sets of node ports are filled only if an address of the node serves node ports. In older versions, these sets
   * contain all TCP and UDP node ports. The behavior of 1.15 is inferred.
   */
  servedNodePortsOnly: { modes: ['ipvs'], since: '1.15' },
  /**
   * If a service port with policy Local has no endpoints on this node, cluster-internal traffic uses endpoints on other
   * nodes. In older versions, the virtual server has no real servers.
   */
  localFallsBack: { modes: ['ipvs'], since: '1.24' },

  // nftables mode.

  /**
   * The table has the layout of the alpha release: filters run before DNAT only for locally generated packets, two sets
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
  /**
   * An element is written only if its key or its verdict changes, so its comment may name a former Service or port. Older
   * versions write all elements in every sync.
   */
  elementCommentsKept: { modes: ['nftables'], since: '1.32' },
  /** A full sync, which a change of the zone of the node causes, writes all elements. */
  fullSyncsWriteElements: { modes: ['nftables'], until: '1.33' },
  /** The elements of the map `firewall-ips` have comments. */
  firewallElementComments: { modes: ['nftables'], until: '1.32' },
  /**
   * Interfaces are matched by name. In older versions, they are matched by index, so an interface must exist when the
   * rules are loaded.
   */
  interfacesByName: { modes: ['nftables'], since: '1.35' },
  /**
   * Only endpoints of Services with session affinity have their own chains. A set of address pairs matches hairpin
   * traffic, one rule masquerades packets to all cluster IPs, and rules set the masquerade mark directly instead of
   * jumping to a chain.
   */
  squashedEndpoints: { modes: ['nftables'], since: '1.36' },
  /**
   * If a service port has only one endpoint, the rule of the service port contains the address of the endpoint instead
   * of a map.
   */
  singleEndpointDnat: { modes: ['nftables'], since: '1.37' },
  /**
   * Comments are truncated to the maximum length of nft. In older versions, a longer comment makes the whole
   * transaction fail.
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
 * Returns the features of a kube-proxy version in a mode with these feature gates. Gates that the version does not have
 * are ignored.
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
  if (since !== undefined && !isVersionAtLeast(version, since)) return false
  if (until !== undefined && isVersionAtLeast(version, until)) return false
  if (gates?.some((gate) => isFeatureGateEnabled(gate, version, given)) === false) return false
  return withoutGate === undefined || !isFeatureGateEnabled(withoutGate, version, given)
}

/** Returns the names of the features that differ between two versions. */
export function findDifferingFeatures(a: Features, b: Features): readonly FeatureName[] {
  return FEATURE_NAMES.filter((name) => a[name] !== b[name])
}

/**
 * Returns the versions of a mode that have all features with the value true and none of the features with the value
 * false. A version matches if its features match with default gates, or with every alpha and beta gate on.
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

/** Returns the state of a gate in a version. Returns undefined if the version does not have the gate. */
export function featureGateReleaseOf(gate: FeatureGate, version: string): FeatureGateRelease | undefined {
  return FEATURE_GATES[gate].filter((release) => isVersionAtLeast(version, release.since)).at(-1)
}

/**
 * Reports whether a gate is on in a version if `gates` are set. In versions without the gate, the result is true if the
 * feature is older than the gate, that is, if the gate was introduced as deprecated.
 */
export function isFeatureGateEnabled(gate: FeatureGate, version: string, gates: ReadonlyMap<string, boolean>): boolean {
  const release = featureGateReleaseOf(gate, version)
  if (release === undefined) return FEATURE_GATES[gate][0]?.stage === 'deprecated'
  if (release.stage === 'stable' || release.stage === 'removed') return release.enabled
  const ofStage = release.stage === 'deprecated' ? undefined : gates.get(STAGE_GATES[release.stage])
  return gates.get(gate) ?? ofStage ?? release.enabled
}
