import { z } from 'zod'
import type {
  ClientConnectionConfiguration,
  ConntrackConfiguration,
  DetectLocalConfiguration,
  IptablesConfiguration,
  IpvsConfiguration,
  KubeProxyConfiguration,
  LoggingConfiguration,
  NftablesConfiguration,
  WinkernelConfiguration,
} from '../kube-proxy-configuration.js'
import { flag, integer, kindOf, listOf, mapOf, number, objectOf, type Shape, text } from './fields.js'
import { type ParseResult, parseWith, safeParseWith } from './parse-with.js'

const detectLocalShape = {
  bridgeInterface: text.nullish(),
  interfaceNamePrefix: text.nullish(),
} satisfies Shape<DetectLocalConfiguration>

const iptablesShape = {
  masqueradeBit: integer.nullish(),
  masqueradeAll: flag.nullish(),
  localhostNodePorts: flag.nullish(),
  syncPeriod: text.nullish(),
  minSyncPeriod: text.nullish(),
} satisfies Shape<IptablesConfiguration>

const ipvsShape = {
  syncPeriod: text.nullish(),
  minSyncPeriod: text.nullish(),
  scheduler: text.nullish(),
  excludeCIDRs: listOf(text).nullish(),
  strictARP: flag.nullish(),
  tcpTimeout: text.nullish(),
  tcpFinTimeout: text.nullish(),
  udpTimeout: text.nullish(),
} satisfies Shape<IpvsConfiguration>

const nftablesShape = {
  masqueradeBit: integer.nullish(),
  masqueradeAll: flag.nullish(),
  syncPeriod: text.nullish(),
  minSyncPeriod: text.nullish(),
} satisfies Shape<NftablesConfiguration>

const winkernelShape = {
  networkName: text.nullish(),
  sourceVip: text.nullish(),
  enableDSR: flag.nullish(),
  rootHnsEndpointName: text.nullish(),
  forwardHealthCheckVip: flag.nullish(),
} satisfies Shape<WinkernelConfiguration>

const conntrackShape = {
  maxPerCore: integer.nullish(),
  min: integer.nullish(),
  tcpEstablishedTimeout: text.nullish(),
  tcpCloseWaitTimeout: text.nullish(),
  tcpBeLiberal: flag.nullish(),
  udpTimeout: text.nullish(),
  udpStreamTimeout: text.nullish(),
} satisfies Shape<ConntrackConfiguration>

const clientConnectionShape = {
  kubeconfig: text.nullish(),
  acceptContentTypes: text.nullish(),
  contentType: text.nullish(),
  qps: number.nullish(),
  burst: integer.nullish(),
} satisfies Shape<ClientConnectionConfiguration>

const vmoduleSchema = objectOf({ filePattern: text, verbosity: integer })

const loggingShape = {
  format: text.nullish(),
  flushFrequency: z.union([text, number], 'expected a duration').nullish(),
  verbosity: integer.nullish(),
  vmodule: listOf(vmoduleSchema).nullish(),
  options: mapOf(z.unknown()).nullish(),
} satisfies Shape<LoggingConfiguration>

const configurationShape = {
  apiVersion: text.nullish(),
  kind: kindOf('KubeProxyConfiguration'),
  mode: text.nullish(),
  clusterCIDR: text.nullish(),
  detectLocalMode: text.nullish(),
  detectLocal: objectOf(detectLocalShape).nullish(),
  nodePortAddresses: listOf(text).nullish(),
  iptables: objectOf(iptablesShape).nullish(),
  ipvs: objectOf(ipvsShape).nullish(),
  nftables: objectOf(nftablesShape).nullish(),
  winkernel: objectOf(winkernelShape).nullish(),
  conntrack: objectOf(conntrackShape).nullish(),
  clientConnection: objectOf(clientConnectionShape).nullish(),
  bindAddress: text.nullish(),
  bindAddressHardFail: flag.nullish(),
  hostnameOverride: text.nullish(),
  healthzBindAddress: text.nullish(),
  metricsBindAddress: text.nullish(),
  enableProfiling: flag.nullish(),
  showHiddenMetricsForVersion: text.nullish(),
  oomScoreAdj: integer.nullish(),
  configSyncPeriod: text.nullish(),
  portRange: text.nullish(),
  featureGates: mapOf(flag).nullish(),
  logging: objectOf(loggingShape).nullish(),
} satisfies Shape<KubeProxyConfiguration>

/** The fields of the whole (`''`) and of each section, by name. */
export const configurationFields: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    '': configurationShape,
    detectLocal: detectLocalShape,
    iptables: iptablesShape,
    ipvs: ipvsShape,
    nftables: nftablesShape,
    winkernel: winkernelShape,
    conntrack: conntrackShape,
    clientConnection: clientConnectionShape,
    logging: loggingShape,
  }).map(([section, shape]) => [section, new Set(Object.keys(shape))]),
)

/** The shape of a KubeProxyConfiguration; whether its values make sense is decided where it is compiled. */
export const kubeProxyConfigurationSchema: z.ZodType<KubeProxyConfiguration, KubeProxyConfiguration> =
  objectOf(configurationShape)

/** The same object typed as a KubeProxyConfiguration, or every problem it has. */
export function safeParseKubeProxyConfiguration(value: unknown): ParseResult<KubeProxyConfiguration> {
  return safeParseWith(kubeProxyConfigurationSchema, 'KubeProxyConfiguration', value)
}

/** The same object typed as a KubeProxyConfiguration; throws a {@link DiagnosticsError} with every problem it has. */
export function parseKubeProxyConfiguration(value: unknown): KubeProxyConfiguration {
  return parseWith(kubeProxyConfigurationSchema, 'KubeProxyConfiguration', value)
}
