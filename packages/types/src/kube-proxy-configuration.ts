import type { Optional, TypeMeta } from './kubernetes/object-meta.js'

/**
 * A KubeProxyConfiguration (`kubeproxy.config.k8s.io/v1alpha1`) as written by users: every field is optional. Durations
 * are Go duration strings such as `30s` or `1h15m`.
 */
export interface KubeProxyConfiguration extends TypeMeta {
  /** The proxy mode. Default: iptables. */
  readonly mode?: Optional<string>
  /** The networks of all pods, separated by a comma. */
  readonly clusterCIDR?: Optional<string>
  /** The method of local traffic detection for pods on this node. */
  readonly detectLocalMode?: Optional<string>
  /** The settings of local traffic detection. */
  readonly detectLocal?: Optional<DetectLocalConfiguration>
  /** The networks of the addresses that serve node ports. */
  readonly nodePortAddresses?: Optional<readonly string[]>
  /** The settings of iptables mode. */
  readonly iptables?: Optional<IptablesConfiguration>
  /** The settings of ipvs mode. */
  readonly ipvs?: Optional<IpvsConfiguration>
  /** The settings of nftables mode. */
  readonly nftables?: Optional<NftablesConfiguration>
  /** The settings of the kernelspace mode, which is not supported. */
  readonly winkernel?: Optional<WinkernelConfiguration>
  /** The settings of connection tracking. */
  readonly conntrack?: Optional<ConntrackConfiguration>
  /** The connection of kube-proxy to the API server. */
  readonly clientConnection?: Optional<ClientConnectionConfiguration>
  /** The primary address of the node. Its family is the primary family. Userspace mode also listens on this address. */
  readonly bindAddress?: Optional<string>
  /** Whether kube-proxy exits if it cannot bind to a port. */
  readonly bindAddressHardFail?: Optional<boolean>
  /** The name of the node. */
  readonly hostnameOverride?: Optional<string>
  /** The address of the health-check server of kube-proxy. */
  readonly healthzBindAddress?: Optional<string>
  /** The address of metrics. */
  readonly metricsBindAddress?: Optional<string>
  /** Whether kube-proxy serves profiling data; without effect on rules. */
  readonly enableProfiling?: Optional<boolean>
  /** The previous minor version of Kubernetes. Its metrics are shown even if they are hidden now. */
  readonly showHiddenMetricsForVersion?: Optional<string>
  /** The OOM score of kube-proxy; without effect on rules. */
  readonly oomScoreAdj?: Optional<number>
  /** The time between refreshes of the objects; without effect on rules. */
  readonly configSyncPeriod?: Optional<string>
  /** The range of local ports that kube-proxy may use in userspace mode. */
  readonly portRange?: Optional<string>
  /** Feature gates to turn on or off. */
  readonly featureGates?: Optional<Readonly<Record<string, boolean>>>
  /** The logging settings of kube-proxy; without effect on rules. */
  readonly logging?: Optional<LoggingConfiguration>
}

/** The settings of local traffic detection. */
export interface DetectLocalConfiguration {
  /** The bridge that pods are attached to, for the detection mode `BridgeInterface`. */
  readonly bridgeInterface?: Optional<string>
  /** The name prefix of the interfaces of pods, for the detection mode `InterfaceNamePrefix`. */
  readonly interfaceNamePrefix?: Optional<string>
}

/** The settings of iptables mode. */
export interface IptablesConfiguration {
  /** The bit of the packet mark that selects packets for masquerading. */
  readonly masqueradeBit?: Optional<number>
  /** Whether all packets to cluster IPs are masqueraded. */
  readonly masqueradeAll?: Optional<boolean>
  /** Whether loopback addresses serve node ports. */
  readonly localhostNodePorts?: Optional<boolean>
  /** The time between full updates; without effect on rules. */
  readonly syncPeriod?: Optional<string>
  /** The minimum time between updates; without effect on rules. */
  readonly minSyncPeriod?: Optional<string>
}

/** The settings of ipvs mode. */
export interface IpvsConfiguration {
  /** The time between full updates; without effect on rules. */
  readonly syncPeriod?: Optional<string>
  /** The minimum time between updates; without effect on rules. */
  readonly minSyncPeriod?: Optional<string>
  /** The scheduler. Default: `rr`. */
  readonly scheduler?: Optional<string>
  /** The networks with virtual servers of other programs, which kube-proxy preserves. */
  readonly excludeCIDRs?: Optional<readonly string[]>
  /** Whether ARP requests for bound addresses are ignored. */
  readonly strictARP?: Optional<boolean>
  /** The TCP timeout, as a duration. */
  readonly tcpTimeout?: Optional<string>
  /** The TCP timeout after a FIN, as a duration. */
  readonly tcpFinTimeout?: Optional<string>
  /** The UDP timeout, as a duration. */
  readonly udpTimeout?: Optional<string>
}

/** The settings of nftables mode. */
export interface NftablesConfiguration {
  /** The bit of the packet mark that selects packets for masquerading. */
  readonly masqueradeBit?: Optional<number>
  /** Whether all packets to cluster IPs are masqueraded. */
  readonly masqueradeAll?: Optional<boolean>
  /** The time between full updates; without effect on rules. */
  readonly syncPeriod?: Optional<string>
  /** The minimum time between updates; without effect on rules. */
  readonly minSyncPeriod?: Optional<string>
}

/** The settings of the kernelspace mode, which is not supported. */
export interface WinkernelConfiguration {
  /** The name of the HNS network. */
  readonly networkName?: Optional<string>
  /** The source address of masqueraded packets. */
  readonly sourceVip?: Optional<string>
  /** Whether direct server return is used. */
  readonly enableDSR?: Optional<boolean>
  /** The name of the root HNS endpoint. */
  readonly rootHnsEndpointName?: Optional<string>
  /** Whether health checks are forwarded. */
  readonly forwardHealthCheckVip?: Optional<boolean>
}

/** The settings of connection tracking. */
export interface ConntrackConfiguration {
  /** The maximum number of conntrack entries for each CPU core; 0 keeps the limit of the kernel. */
  readonly maxPerCore?: Optional<number>
  /** The minimum of the total limit of conntrack entries, regardless of `maxPerCore`. */
  readonly min?: Optional<number>
  /** The timeout of established connections, as a duration. */
  readonly tcpEstablishedTimeout?: Optional<string>
  /** The timeout of connections in the state CLOSE_WAIT, as a duration. */
  readonly tcpCloseWaitTimeout?: Optional<string>
  /** Whether packets outside the TCP window count as valid. */
  readonly tcpBeLiberal?: Optional<boolean>
  /** The UDP timeout, as a duration. */
  readonly udpTimeout?: Optional<string>
  /** The timeout of UDP streams, as a duration. */
  readonly udpStreamTimeout?: Optional<string>
}

/** The connection of kube-proxy to the API server; without effect on rules. */
export interface ClientConnectionConfiguration {
  /** The path of the kubeconfig file. */
  readonly kubeconfig?: Optional<string>
  /** The accepted media types. */
  readonly acceptContentTypes?: Optional<string>
  /** The media type of requests. */
  readonly contentType?: Optional<string>
  /** The permitted requests per second. */
  readonly qps?: Optional<number>
  /** The permitted burst of requests. */
  readonly burst?: Optional<number>
}

/** The logging settings of kube-proxy; without effect on rules. */
export interface LoggingConfiguration {
  /** The log format. */
  readonly format?: Optional<string>
  /** The time between flushes of the log. */
  readonly flushFrequency?: Optional<string | number>
  /** The verbosity. */
  readonly verbosity?: Optional<number>
  /** The verbosity of individual files. */
  readonly vmodule?: Optional<readonly { readonly filePattern: string; readonly verbosity: number }[]>
  /** Options of log formats. */
  readonly options?: Optional<Readonly<Record<string, unknown>>>
}
