import type { ObjectReference } from '@kube-rules/types'

/** The object that diagnostics about the configuration refer to. */
export const CONFIGURATION_REFERENCE: ObjectReference = { kind: 'KubeProxyConfiguration', name: 'config' }

/**
 * A KubeProxyConfiguration with all fields, each of the right type. The values are not validated. Times are in
 * milliseconds, with a fraction if needed.
 */
export interface EffectiveConfiguration {
  readonly apiVersion: string
  readonly kind: string
  readonly mode: string
  readonly clusterCIDR: string
  readonly detectLocalMode: string
  readonly detectLocal: EffectiveDetectLocalConfiguration
  readonly nodePortAddresses: readonly string[]
  readonly iptables: EffectiveIptablesConfiguration
  readonly ipvs: EffectiveIpvsConfiguration
  readonly nftables: EffectiveNftablesConfiguration
  readonly winkernel: EffectiveWinkernelConfiguration
  readonly conntrack: EffectiveConntrackConfiguration
  readonly clientConnection: EffectiveClientConnectionConfiguration
  readonly bindAddress: string
  readonly bindAddressHardFail: boolean
  readonly hostnameOverride: string
  readonly healthzBindAddress: string
  readonly metricsBindAddress: string
  readonly enableProfiling: boolean
  readonly showHiddenMetricsForVersion: string
  readonly oomScoreAdj: number
  readonly udpIdleTimeout: number
  readonly configSyncPeriod: number
  readonly portRange: string
  readonly featureGates: ReadonlyMap<string, boolean>
  readonly logging: EffectiveLoggingConfiguration
}

export interface EffectiveDetectLocalConfiguration {
  readonly bridgeInterface: string
  readonly interfaceNamePrefix: string
}

export interface EffectiveSyncPeriods {
  readonly syncPeriod: number
  readonly minSyncPeriod: number
}

export interface EffectiveNftablesConfiguration extends EffectiveSyncPeriods {
  readonly masqueradeBit: number
  readonly masqueradeAll: boolean
}

export interface EffectiveIptablesConfiguration extends EffectiveNftablesConfiguration {
  readonly localhostNodePorts: boolean
}

export interface EffectiveIpvsConfiguration extends EffectiveSyncPeriods {
  readonly scheduler: string
  readonly excludeCIDRs: readonly string[]
  readonly strictARP: boolean
  readonly tcpTimeout: number
  readonly tcpFinTimeout: number
  readonly udpTimeout: number
}

export interface EffectiveWinkernelConfiguration {
  readonly networkName: string
  readonly sourceVip: string
  readonly enableDSR: boolean
  readonly rootHnsEndpointName: string
  readonly forwardHealthCheckVip: boolean
}

export interface EffectiveConntrackConfiguration {
  readonly maxPerCore: number
  readonly min: number
  readonly tcpEstablishedTimeout: number
  readonly tcpCloseWaitTimeout: number
  readonly tcpBeLiberal: boolean
  readonly udpTimeout: number
  readonly udpStreamTimeout: number
}

export interface EffectiveClientConnectionConfiguration {
  readonly kubeconfig: string
  readonly acceptContentTypes: string
  readonly contentType: string
  readonly qps: number
  readonly burst: number
}

export interface EffectiveLoggingConfiguration {
  readonly format: string
  readonly flushFrequency: number
  readonly verbosity: number
  readonly vmodule: readonly EffectiveVmoduleItem[]
  /** The field is ignored, because it has no effect on rules. */
  readonly options: unknown
}

export interface EffectiveVmoduleItem {
  readonly filePattern: string
  readonly verbosity: number
}
