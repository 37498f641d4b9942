import type { Optional, TypeMeta } from './kubernetes/object-meta.js'

/**
 * A KubeProxyConfiguration (`kubeproxy.config.k8s.io/v1alpha1`) as written by users: every field is optional. Durations
 * are Go duration strings such as `30s` or `1h15m`.
 */
export interface KubeProxyConfiguration extends TypeMeta {
  readonly mode?: Optional<string>
  readonly clusterCIDR?: Optional<string>
  readonly detectLocalMode?: Optional<string>
  readonly detectLocal?: Optional<DetectLocalConfiguration>
  readonly nodePortAddresses?: Optional<readonly string[]>
  readonly iptables?: Optional<IptablesConfiguration>
  readonly ipvs?: Optional<IpvsConfiguration>
  readonly nftables?: Optional<NftablesConfiguration>
  readonly winkernel?: Optional<WinkernelConfiguration>
  readonly conntrack?: Optional<ConntrackConfiguration>
  readonly clientConnection?: Optional<ClientConnectionConfiguration>
  readonly bindAddress?: Optional<string>
  readonly bindAddressHardFail?: Optional<boolean>
  readonly hostnameOverride?: Optional<string>
  readonly healthzBindAddress?: Optional<string>
  readonly metricsBindAddress?: Optional<string>
  readonly enableProfiling?: Optional<boolean>
  readonly showHiddenMetricsForVersion?: Optional<string>
  readonly oomScoreAdj?: Optional<number>
  readonly configSyncPeriod?: Optional<string>
  readonly portRange?: Optional<string>
  readonly featureGates?: Optional<Readonly<Record<string, boolean>>>
  readonly logging?: Optional<LoggingConfiguration>
}

export interface DetectLocalConfiguration {
  readonly bridgeInterface?: Optional<string>
  readonly interfaceNamePrefix?: Optional<string>
}

export interface IptablesConfiguration {
  readonly masqueradeBit?: Optional<number>
  readonly masqueradeAll?: Optional<boolean>
  readonly localhostNodePorts?: Optional<boolean>
  readonly syncPeriod?: Optional<string>
  readonly minSyncPeriod?: Optional<string>
}

export interface IpvsConfiguration {
  readonly syncPeriod?: Optional<string>
  readonly minSyncPeriod?: Optional<string>
  readonly scheduler?: Optional<string>
  readonly excludeCIDRs?: Optional<readonly string[]>
  readonly strictARP?: Optional<boolean>
  readonly tcpTimeout?: Optional<string>
  readonly tcpFinTimeout?: Optional<string>
  readonly udpTimeout?: Optional<string>
}

export interface NftablesConfiguration {
  readonly masqueradeBit?: Optional<number>
  readonly masqueradeAll?: Optional<boolean>
  readonly syncPeriod?: Optional<string>
  readonly minSyncPeriod?: Optional<string>
}

export interface WinkernelConfiguration {
  readonly networkName?: Optional<string>
  readonly sourceVip?: Optional<string>
  readonly enableDSR?: Optional<boolean>
  readonly rootHnsEndpointName?: Optional<string>
  readonly forwardHealthCheckVip?: Optional<boolean>
}

export interface ConntrackConfiguration {
  readonly maxPerCore?: Optional<number>
  readonly min?: Optional<number>
  readonly tcpEstablishedTimeout?: Optional<string>
  readonly tcpCloseWaitTimeout?: Optional<string>
  readonly tcpBeLiberal?: Optional<boolean>
  readonly udpTimeout?: Optional<string>
  readonly udpStreamTimeout?: Optional<string>
}

export interface ClientConnectionConfiguration {
  readonly kubeconfig?: Optional<string>
  readonly acceptContentTypes?: Optional<string>
  readonly contentType?: Optional<string>
  readonly qps?: Optional<number>
  readonly burst?: Optional<number>
}

export interface LoggingConfiguration {
  readonly format?: Optional<string>
  readonly flushFrequency?: Optional<string | number>
  readonly verbosity?: Optional<number>
  readonly vmodule?: Optional<readonly { readonly filePattern: string; readonly verbosity: number }[]>
  readonly options?: Optional<Readonly<Record<string, unknown>>>
}
