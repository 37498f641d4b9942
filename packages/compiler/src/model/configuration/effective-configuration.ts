import type { ObjectReference } from '@kube-rules/types'

/** The object that diagnostics about the configuration refer to. */
export const CONFIGURATION_REFERENCE: ObjectReference = { kind: 'KubeProxyConfiguration', name: 'config' }

/**
 * A KubeProxyConfiguration with all fields, each of the right type. The values are not validated. Times are in
 * milliseconds, with a fraction if needed.
 */
export interface EffectiveConfiguration {
  /** The API group and version as written; empty if the file has none. */
  readonly apiVersion: string
  /** The kind as written; empty if the file has none. */
  readonly kind: string
  /** The proxy mode. Default: `iptables`. */
  readonly mode: string
  /** The networks of all pods, separated by a comma; empty if they are unknown. */
  readonly clusterCIDR: string
  /** The method of local traffic detection for pods on this node. Default: `ClusterCIDR`. */
  readonly detectLocalMode: string
  /** The settings of local traffic detection. */
  readonly detectLocal: EffectiveDetectLocalConfiguration
  /**
   * The networks of the addresses that serve node ports, or the keyword `primary` for the primary addresses of the
   * node; empty if all addresses serve node ports.
   */
  readonly nodePortAddresses: readonly string[]
  /** The settings of iptables mode. */
  readonly iptables: EffectiveIptablesConfiguration
  /** The settings of ipvs mode. */
  readonly ipvs: EffectiveIpvsConfiguration
  /** The settings of nftables mode. */
  readonly nftables: EffectiveNftablesConfiguration
  /** The settings of the kernelspace mode, which is not supported. */
  readonly winkernel: EffectiveWinkernelConfiguration
  /** The settings of connection tracking. */
  readonly conntrack: EffectiveConntrackConfiguration
  /** The connection of kube-proxy to the API server. */
  readonly clientConnection: EffectiveClientConnectionConfiguration
  /**
   * The primary address of the node. Its family is the primary family. With the unspecified address `0.0.0.0` or `::`,
   * kube-proxy uses the addresses of the Node object.
   */
  readonly bindAddress: string
  /** Whether kube-proxy exits if it cannot bind to a port. */
  readonly bindAddressHardFail: boolean
  /** The name of the node; empty if kube-proxy uses the host name. */
  readonly hostnameOverride: string
  /** The address and port of the health-check server of kube-proxy, such as `0.0.0.0:10256`. */
  readonly healthzBindAddress: string
  /** The address and port of the metrics server of kube-proxy, such as `127.0.0.1:10249`. */
  readonly metricsBindAddress: string
  /** Whether kube-proxy serves profiling data on the metrics server. */
  readonly enableProfiling: boolean
  /** The previous minor version of Kubernetes, to show its hidden metrics; empty for none. */
  readonly showHiddenMetricsForVersion: string
  /** The OOM score of kube-proxy, from -1000 to 1000. */
  readonly oomScoreAdj: number
  /** The time after which an idle UDP connection ends in userspace mode, in milliseconds. */
  readonly udpIdleTimeout: number
  /** The time between refreshes of the objects from the API server, in milliseconds. */
  readonly configSyncPeriod: number
  /**
   * The range of local ports that kube-proxy may use in userspace mode: `first-last`, `first+more` or one port; empty
   * or `0-0` for random ports.
   */
  readonly portRange: string
  /** The feature gates to turn on or off, by name. A gate that is absent has its default. */
  readonly featureGates: ReadonlyMap<string, boolean>
  /** The logging settings of kube-proxy. */
  readonly logging: EffectiveLoggingConfiguration
}

/** The effective settings of local traffic detection. */
export interface EffectiveDetectLocalConfiguration {
  /** The bridge that pods are attached to, for the detection mode `BridgeInterface`; else usually empty. */
  readonly bridgeInterface: string
  /** The name prefix of the interfaces of pods, for the detection mode `InterfaceNamePrefix`; else usually empty. */
  readonly interfaceNamePrefix: string
}

/** The effective times between updates in one mode. */
export interface EffectiveSyncPeriods {
  /** The time between full updates, in milliseconds. */
  readonly syncPeriod: number
  /** The minimum time between updates, in milliseconds; 0 if each change causes an update at once. */
  readonly minSyncPeriod: number
}

/** The effective settings of nftables mode. */
export interface EffectiveNftablesConfiguration extends EffectiveSyncPeriods {
  /** The bit of the packet mark that selects packets for masquerading, from 0 to 31. */
  readonly masqueradeBit: number
  /** Whether all packets to cluster IPs are masqueraded. */
  readonly masqueradeAll: boolean
}

/** The effective settings of iptables mode. */
export interface EffectiveIptablesConfiguration extends EffectiveNftablesConfiguration {
  /** Whether loopback addresses serve node ports; only for IPv4. */
  readonly localhostNodePorts: boolean
}

/** The effective settings of ipvs mode. */
export interface EffectiveIpvsConfiguration extends EffectiveSyncPeriods {
  /** The scheduler; empty for `rr`. */
  readonly scheduler: string
  /** The networks with virtual servers of other programs, which kube-proxy preserves. */
  readonly excludeCIDRs: readonly string[]
  /** Whether ARP requests for bound addresses are ignored. */
  readonly strictARP: boolean
  /** The timeout of idle TCP connections, in milliseconds; 0 keeps the timeout of the kernel. */
  readonly tcpTimeout: number
  /** The timeout of TCP connections after a FIN, in milliseconds; 0 keeps the timeout of the kernel. */
  readonly tcpFinTimeout: number
  /** The timeout of UDP packets, in milliseconds; 0 keeps the timeout of the kernel. */
  readonly udpTimeout: number
}

/** The effective settings of the kernelspace mode, which is not supported. */
export interface EffectiveWinkernelConfiguration {
  /** The name of the HNS network for the endpoints and policies of kube-proxy. */
  readonly networkName: string
  /** The source address of masqueraded packets. */
  readonly sourceVip: string
  /** Whether HNS policies use direct server return. */
  readonly enableDSR: boolean
  /** The name of the HNS endpoint of the root network namespace, which is attached to an l2bridge. */
  readonly rootHnsEndpointName: string
  /** Whether packets to the health-check port of a load balancer IP are forwarded. */
  readonly forwardHealthCheckVip: boolean
}

/** The effective settings of connection tracking. */
export interface EffectiveConntrackConfiguration {
  /** The maximum number of conntrack entries for each CPU core; 0 keeps the limit of the kernel. */
  readonly maxPerCore: number
  /** The minimum of the total limit of conntrack entries, regardless of `maxPerCore`; unused if `maxPerCore` is 0. */
  readonly min: number
  /** The timeout of established TCP connections, in milliseconds; 0 keeps the timeout of the kernel. */
  readonly tcpEstablishedTimeout: number
  /** The timeout of TCP connections in the state CLOSE_WAIT, in milliseconds; 0 keeps the timeout of the kernel. */
  readonly tcpCloseWaitTimeout: number
  /** Whether packets outside the TCP window count as valid; false keeps the setting of the kernel. */
  readonly tcpBeLiberal: boolean
  /** The timeout of UDP entries without a reply, in milliseconds; 0 keeps the timeout of the kernel. */
  readonly udpTimeout: number
  /** The timeout of UDP streams, in milliseconds; 0 keeps the timeout of the kernel. */
  readonly udpStreamTimeout: number
}

/** The effective connection of kube-proxy to the API server. */
export interface EffectiveClientConnectionConfiguration {
  /** The path of the kubeconfig file; empty for the service account of the pod. */
  readonly kubeconfig: string
  /** The accepted media types (`Accept`), separated by a comma; empty for the default of the client. */
  readonly acceptContentTypes: string
  /** The media type of requests (`Content-Type`). */
  readonly contentType: string
  /** The permitted requests per second. */
  readonly qps: number
  /** The permitted burst of requests, as a number of requests. */
  readonly burst: number
}

/** The effective logging settings of kube-proxy. */
export interface EffectiveLoggingConfiguration {
  /** The log format: `text` or `json`. */
  readonly format: string
  /** The maximum time between flushes of the log, in milliseconds. */
  readonly flushFrequency: number
  /** The verbosity: 0 logs only the most important messages. */
  readonly verbosity: number
  /** The verbosity of individual files, only for the format `text`. */
  readonly vmodule: readonly EffectiveVmoduleItem[]
  /** The field is ignored, because it has no effect on rules. */
  readonly options: unknown
}

/** The verbosity of the files that a pattern selects. */
export interface EffectiveVmoduleItem {
  /** The name of a source file without folder and `.go`, or a glob pattern of such names. */
  readonly filePattern: string
  /** The verbosity of these files, which overrides the general verbosity. */
  readonly verbosity: number
}
