import type { Diagnostic } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'
import { createDiagnosticCollector } from '../reading/diagnostic-collector.js'
import * as read from './configuration-field.js'
import { splitHostPort } from './configured-addresses.js'
import {
  CONFIGURATION_REFERENCE,
  type EffectiveClientConnectionConfiguration,
  type EffectiveConfiguration,
  type EffectiveConntrackConfiguration,
  type EffectiveDetectLocalConfiguration,
  type EffectiveIptablesConfiguration,
  type EffectiveIpvsConfiguration,
  type EffectiveLoggingConfiguration,
  type EffectiveNftablesConfiguration,
  type EffectiveVmoduleItem,
  type EffectiveWinkernelConfiguration,
} from './effective-configuration.js'
import type { Features } from './features.js'
import { DEFAULT_PROXY_MODE } from './versions.js'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const HEALTHZ_PORT = 10256
const METRICS_PORT = 10249

/** Reads a configuration object: every field with its type and its default. */
const readWritten = read.objectField<EffectiveConfiguration>({
  apiVersion: read.stringField(),
  kind: read.stringField(),
  mode: read.stringField(),
  clusterCIDR: read.stringField(),
  detectLocalMode: read.stringField(),
  detectLocal: read.objectField<EffectiveDetectLocalConfiguration>({
    bridgeInterface: read.stringField(),
    interfaceNamePrefix: read.stringField(),
  }),
  nodePortAddresses: read.listField(read.stringField()),
  iptables: read.objectField<EffectiveIptablesConfiguration>({
    masqueradeBit: read.integerField(14),
    masqueradeAll: read.booleanField(),
    localhostNodePorts: read.booleanField(true),
    syncPeriod: read.withFallback(read.durationField(), 30 * SECOND),
    minSyncPeriod: read.withFallback(read.durationField(), SECOND),
  }),
  ipvs: read.objectField<EffectiveIpvsConfiguration>({
    syncPeriod: read.withFallback(read.durationField(), 30 * SECOND),
    minSyncPeriod: read.durationField(),
    scheduler: read.stringField(),
    excludeCIDRs: read.listField(read.stringField()),
    strictARP: read.booleanField(),
    tcpTimeout: read.durationField(),
    tcpFinTimeout: read.durationField(),
    udpTimeout: read.durationField(),
  }),
  nftables: read.objectField<EffectiveNftablesConfiguration>({
    masqueradeBit: read.integerField(14),
    masqueradeAll: read.booleanField(),
    syncPeriod: read.withFallback(read.durationField(), 30 * SECOND),
    minSyncPeriod: read.withFallback(read.durationField(), SECOND),
  }),
  winkernel: read.objectField<EffectiveWinkernelConfiguration>({
    networkName: read.stringField(),
    sourceVip: read.stringField(),
    enableDSR: read.booleanField(),
    rootHnsEndpointName: read.stringField(),
    forwardHealthCheckVip: read.booleanField(),
  }),
  conntrack: read.objectField<EffectiveConntrackConfiguration>({
    maxPerCore: read.integerField(32 * 1024),
    min: read.integerField(128 * 1024),
    tcpEstablishedTimeout: read.durationField(24 * HOUR),
    tcpCloseWaitTimeout: read.durationField(HOUR),
    tcpBeLiberal: read.booleanField(),
    udpTimeout: read.durationField(),
    udpStreamTimeout: read.durationField(),
  }),
  clientConnection: read.objectField<EffectiveClientConnectionConfiguration>({
    kubeconfig: read.stringField(),
    acceptContentTypes: read.stringField(),
    contentType: read.withFallback(read.stringField(), 'application/vnd.kubernetes.protobuf'),
    qps: read.withFallback(read.numberField(), 5),
    burst: read.withFallback(read.integerField(), 10),
  }),
  bindAddress: read.withFallback(read.stringField(), '0.0.0.0'),
  bindAddressHardFail: read.booleanField(),
  hostnameOverride: read.stringField(),
  healthzBindAddress: read.stringField(),
  metricsBindAddress: read.stringField(),
  enableProfiling: read.booleanField(),
  showHiddenMetricsForVersion: read.stringField(),
  oomScoreAdj: read.integerField(-999),
  udpIdleTimeout: read.withFallback(read.durationField(), 250),
  configSyncPeriod: read.withFallback(read.durationField(), 15 * MINUTE),
  portRange: read.stringField(),
  featureGates: read.booleanMapField(),
  logging: read.objectField<EffectiveLoggingConfiguration>({
    format: read.withFallback(read.stringField(), 'text'),
    flushFrequency: read.withFallback(read.durationOrNanosecondsField(), 5 * SECOND),
    verbosity: read.numberField(),
    vmodule: read.listField(
      read.objectField<EffectiveVmoduleItem>({ filePattern: read.stringField(), verbosity: read.numberField() }),
    ),
    options: read.anyField,
  }),
})

/**
 * Reads a configuration of unknown content with the defaults of its file format. Values of a wrong type are reported
 * (`invalidType`) and treated as missing; unknown fields are reported (`unknownField`). Mirrors
 * `SetDefaults_KubeProxyConfiguration` of kube-proxy v1.30.
 */
export function readConfiguration(configuration: unknown): {
  readonly configuration: EffectiveConfiguration
  readonly diagnostics: readonly Diagnostic[]
} {
  const collector = createDiagnosticCollector(CONFIGURATION_REFERENCE)
  const written = readWritten(collector, '', configuration)
  const ipv6 = parseIp(written.bindAddress)?.family === 'IPv6'
  const healthz = written.healthzBindAddress || (ipv6 ? '::' : '0.0.0.0')
  const metrics = written.metricsBindAddress || (ipv6 ? '::1' : '127.0.0.1')
  return {
    configuration: {
      ...written,
      healthzBindAddress: withPort(healthz, HEALTHZ_PORT),
      metricsBindAddress: withPort(metrics, METRICS_PORT),
    },
    diagnostics: collector.diagnostics,
  }
}

/**
 * Adds the defaults that depend on the platform, the version and the mode. Mirrors `platformApplyDefaults` of
 * kube-proxy v1.30 on Linux. From v1.31 on, the nftables mode serves node ports only on the primary addresses of the
 * node by default.
 */
export function withDefaults(configuration: EffectiveConfiguration, features: Features): EffectiveConfiguration {
  const mode = configuration.mode || DEFAULT_PROXY_MODE
  const onlyPrimary = features.primaryNodePortAddressesByDefault && configuration.nodePortAddresses.length === 0
  return {
    ...configuration,
    mode,
    detectLocalMode: configuration.detectLocalMode || 'ClusterCIDR',
    nodePortAddresses: onlyPrimary ? ['primary'] : configuration.nodePortAddresses,
  }
}

/**
 * Adds a port to an address without a port. Mirrors `AppendPortIfNeeded`: text that is neither `address:port`
 * nor an address is unchanged and fails validation later.
 */
export function withPort(written: string, port: number): string {
  const ip = splitHostPort(written) === undefined ? parseIp(written) : undefined
  if (ip === undefined) return written
  return ip.family === 'IPv4' ? `${written}:${port}` : `[${written}]:${port}`
}
