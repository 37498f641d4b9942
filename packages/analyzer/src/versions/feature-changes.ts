import type { FeatureName } from '@kube-rules/compiler/internal/model/configuration/features'

/**
 * A change of behavior between two versions: the behavior of the newer version, and the Kubernetes change that
 * introduced it, if known.
 */
export interface FeatureChange {
  readonly summary: string
  readonly change?: string
}

/** The differences between versions that can change how a packet is handled. */
export const FEATURE_CHANGES: Partial<Readonly<Record<FeatureName, FeatureChange>>> = {
  // Node and configuration.
  singleStack: { summary: 'kube-proxy serves both address families', change: 'KEP-563' },
  nodeIPIsBindAddress: {
    summary:
      'the node IP, which is compared with source ranges, comes from the Node instead of bindAddress, or vice versa',
    change: 'kubernetes/kubernetes#119525',
  },
  nodeIPIsFirstAddress: {
    summary: 'the node IP, which is compared with source ranges, is known in both families',
    change: 'kubernetes/kubernetes#119525',
  },
  nodePortNetworksOfEitherFamily: {
    summary: 'nodePortAddresses without a network of a family selects all addresses of the family',
  },
  ownNodePortAddress: { summary: 'node ports are served on the primary address of the node only', change: 'KEP-3866' },
  primaryNodePortAddressesByDefault: {
    summary: 'node ports are served on the primary addresses of the node by default',
    change: 'KEP-3866',
  },
  loopbackAlwaysServed: { summary: 'localhostNodePorts decides whether loopback addresses serve node ports' },
  nodePortRulesWithoutAddress: {
    summary: 'rules for node ports that no address of the node serves are added or removed',
  },
  rejectedLocalhostNodePorts: {
    summary: 'kube-proxy itself handles node ports on loopback addresses, or a rule rejects them',
  },

  // Services and endpoints.
  portsByNameAlone: {
    summary: 'ports of a Service with the same name and different protocols are separate service ports',
  },
  endpointsByNameAlone: { summary: 'endpoints are matched to a service port by name and protocol' },
  colonAfterServiceName: {
    summary: 'unnamed service ports get different chain names and a different position in the rules',
  },
  endpointsInSliceOrder: { summary: 'endpoints are in the order of their EndpointSlice' },
  headlessLabel: { summary: 'Services and EndpointSlices with the label service.kubernetes.io/headless have no rules' },
  onlyFirstClusterIP: { summary: 'every cluster IP of a Service is served', change: 'KEP-563' },
  externalIPs: { summary: 'external IPs are not served', change: 'KEP-5707' },
  externalIPsFollowPolicy: {
    summary: 'external IPs follow externalTrafficPolicy',
    change: 'kubernetes/kubernetes#69811',
  },
  externalPolicyOfClusterIP: {
    summary: 'externalTrafficPolicy also applies to external IPs of a Service of type ClusterIP',
  },
  internalTrafficPolicy: { summary: 'internalTrafficPolicy is applied', change: 'KEP-2086' },
  internalPolicyOfAllTraffic: {
    summary: 'internalTrafficPolicy Local limits traffic to the cluster IP only',
    change: 'KEP-2086',
  },
  internalPolicyBesideExternal: {
    summary: 'internal and external traffic policies are independent',
    change: 'KEP-2086',
  },
  loadBalancerIPMode: { summary: 'load-balancer IPs with ipMode Proxy are not served by the node', change: 'KEP-1860' },
  sourceRangesTrimmed: { summary: 'spaces around source ranges are ignored' },
  zeroNetworksMatchAll: {
    summary: 'a zero CIDR accepts every source as a source range, and selects every address in nodePortAddresses',
    change: 'kubernetes/kubernetes#132722',
  },
  endpointSlices: { summary: 'endpoints come from EndpointSlices instead of Endpoints', change: 'KEP-752' },
  endpointTopology: { summary: 'the topology field of endpoints is ignored', change: 'KEP-752' },
  endpointsByAddress: { summary: 'endpoints with the same address and different ports are separate endpoints' },
  notReadyEndpoints: { summary: 'endpoints that are not ready are stored' },
  terminatingEndpoints: {
    summary: 'terminating endpoints that still serve are used if no endpoint is ready',
    change: 'KEP-1669',
  },
  runningEndpointWins: {
    summary: 'if two endpoints have the same address, the one that is not terminating is used',
    change: 'kubernetes/kubernetes#135593',
  },
  oneLabelPerKind: {
    summary: 'the label service-proxy-name excludes Services only, and the label headless excludes endpoints only',
  },
  topologyHints: { summary: 'topology hints select endpoints', change: 'KEP-2433' },
  hintsNeedAnnotation: {
    summary: 'topology hints are used even if the Service does not have the annotation',
    change: 'KEP-4444',
  },
  topologyModeAnnotation: {
    summary: 'the annotation service.kubernetes.io/topology-mode enables topology hints',
    change: 'KEP-2433',
  },
  topologyKeys: { summary: 'spec.topologyKeys of a Service is ignored' },
  emptyZoneHints: {
    summary: 'a Node without a zone uses endpoints with a hint for the zone with the empty name',
    change: 'KEP-3015',
  },
  nodeHints: { summary: 'node hints take precedence over zone hints', change: 'KEP-3015' },

  laterFrontendWins: {
    summary: 'if several frontends of a service port have the same address and port, the last one gets the packets',
  },

  // Rules of iptables.
  localnetGuard: {
    summary:
      'a rule of kube-proxy drops packets from other hosts to loopback addresses; in older versions, only the kubelet adds this rule',
    change: 'KEP-3178',
  },
  dropsInFilter: {
    summary:
      'rules of kube-proxy drop traffic that a Service does not accept; in older versions, the kubelet drops packets that KUBE-MARK-DROP marks',
    change: 'kubernetes/kubernetes#110289',
  },
  xlbChains: {
    summary: 'external traffic goes through a KUBE-EXT chain instead of a KUBE-XLB chain',
    change: 'kubernetes/kubernetes#109060',
  },
  ownPacketsKeptLocal: {
    summary: 'locally generated packets to external addresses reach all endpoints, even with policy Local',
  },
  podsKnownAtExternalIPs: {
    summary: 'a different rule decides whether packets from pods to an external IP are masqueraded',
  },
  externalIPsSpareBridges: { summary: 'packets forwarded by a bridge of the node reach external IPs' },
  masqueradeInServiceChain: { summary: 'a different chain marks packets for masquerading' },
  endsAtUnservedNodePort: {
    summary: 'a service port keeps its endpoints even if no address of the node serves its node port',
  },
  healthChecksAccepted: { summary: 'health-check node ports are accepted in the filter table' },
  inputEntersServices: { summary: 'packets to Services without endpoints are rejected at different hooks' },
  loadBalancersRejectedInServices: {
    summary: 'packets to load-balancer IPs of Services without endpoints are rejected at different hooks',
  },
  markClearedBeforeSnat: {
    summary: 'KUBE-POSTROUTING clears the mark before it masquerades a packet',
    change: 'kubernetes/kubernetes#92035',
  },

  // ipvs mode.
  accessToLocalExternalIPs: { summary: 'KUBE-IPVS-FILTER accepts packets to external IPs with policy Local' },
  ownPacketsFiltered: {
    summary: 'source ranges also apply to locally generated packets',
    change: 'kubernetes/kubernetes#119791',
  },
  accessToHealthChecks: { summary: 'KUBE-IPVS-FILTER accepts packets to health-check node ports' },
  ownAddressesBound: {
    summary: 'external IPs that another interface already has are not bound to kube-ipvs0',
    change: 'kubernetes/kubernetes#114815',
  },
  boundAddressesServeNoNodePorts: {
    summary: 'addresses of kube-ipvs0 serve node ports if another interface of the node has them, or vice versa',
    change: 'kubernetes/kubernetes#114815',
  },
  accessFilter: {
    summary: 'packets to Service addresses are rejected if no Service has the port',
    change: 'kubernetes/kubernetes#108460',
  },
  loopbackNotMasqueraded: { summary: 'packets from loopback addresses are not masqueraded' },
  sourceRangesInNat: {
    summary:
      'source ranges are enforced in the filter table; in older versions, the kubelet drops packets that KUBE-MARK-DROP marks',
    change: 'kubernetes/kubernetes#110628',
  },
  localSctpNodePortsReturn: { summary: 'packets to SCTP node ports with policy Local are not masqueraded' },
  nodePortsOnLoopback: { summary: 'node ports are not served on loopback addresses' },
  localExternalIPSet: { summary: 'external IPs with policy Local are in a separate ipset' },
  sctpNodePortsByAddress: { summary: 'packets to SCTP node ports are masqueraded' },
  servedNodePortsOnly: { summary: 'ipsets contain only node ports that an address of the node serves' },
  localFallsBack: {
    summary: 'cluster-internal traffic uses endpoints on other nodes if policy Local finds no local endpoint',
  },

  // nftables mode.
  alphaTable: {
    summary:
      'the table is that of the beta release: packets to unused ports of cluster IPs are rejected, and packets in conntrack state INVALID are forwarded',
    change: 'KEP-3866',
  },
  earlyFilters: {
    summary:
      'without local endpoints, locally generated packets reach all endpoints, because the rule that drops packets applies after DNAT',
    change: 'kubernetes/kubernetes#131765',
  },
  squashedEndpoints: { summary: 'one rule masquerades packets to cluster IPs', change: 'KEP-3866' },
}
