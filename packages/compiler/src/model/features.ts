/** What kube-proxy's versions do differently, as named booleans. Nothing else in the library compares versions. */
export interface Features {
  /** Topology hints count only with the annotation `service.kubernetes.io/topology-mode` (1.30). */
  readonly hintsNeedAnnotation: boolean
  /** Node hints are used before zone hints (gate PreferSameTrafficDistribution). */
  readonly nodeHints: boolean
  /** Of two endpoints with one address the one that is not terminating wins; before, the local one. */
  readonly runningEndpointWins: boolean
  /** The zero CIDR among the source ranges switches source ranges off. */
  readonly zeroSourceRangeAcceptsAll: boolean
  /** `nodePortAddresses: [primary]` is understood. */
  readonly primaryNodePortAddresses: boolean
  /** kube-proxy counts dropped and accepted packets with nfacct. */
  readonly nfacctCounters: boolean
  /** Cleaning up removes KUBE-PROXY-FIREWALL too. */
  readonly cleanupRemovesProxyFirewall: boolean
  /** `nftables` is a valid mode. */
  readonly nftablesMode: boolean
  /** Load-balancer ingress entries with `ipMode: Proxy` are skipped. */
  readonly loadBalancerIPMode: boolean
}
