import * as z from 'zod/mini'
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
import type { Result } from '../result.js'
import {
  type AddressTemplate,
  flag,
  integer,
  kindOf,
  listOf,
  mapOf,
  nullish,
  number,
  objectOf,
  text,
} from './fields.js'
import { parseWith, safeParseWith } from './parse-with.js'

const detectLocalShape = {
  bridgeInterface: nullish(text),
  interfaceNamePrefix: nullish(text),
} satisfies AddressTemplate<DetectLocalConfiguration>

const iptablesShape = {
  masqueradeBit: nullish(integer),
  masqueradeAll: nullish(flag),
  localhostNodePorts: nullish(flag),
  syncPeriod: nullish(text),
  minSyncPeriod: nullish(text),
} satisfies AddressTemplate<IptablesConfiguration>

const ipvsShape = {
  syncPeriod: nullish(text),
  minSyncPeriod: nullish(text),
  scheduler: nullish(text),
  excludeCIDRs: nullish(listOf(text)),
  strictARP: nullish(flag),
  tcpTimeout: nullish(text),
  tcpFinTimeout: nullish(text),
  udpTimeout: nullish(text),
} satisfies AddressTemplate<IpvsConfiguration>

const nftablesShape = {
  masqueradeBit: nullish(integer),
  masqueradeAll: nullish(flag),
  syncPeriod: nullish(text),
  minSyncPeriod: nullish(text),
} satisfies AddressTemplate<NftablesConfiguration>

const winkernelShape = {
  networkName: nullish(text),
  sourceVip: nullish(text),
  enableDSR: nullish(flag),
  rootHnsEndpointName: nullish(text),
  forwardHealthCheckVip: nullish(flag),
} satisfies AddressTemplate<WinkernelConfiguration>

const conntrackShape = {
  maxPerCore: nullish(integer),
  min: nullish(integer),
  tcpEstablishedTimeout: nullish(text),
  tcpCloseWaitTimeout: nullish(text),
  tcpBeLiberal: nullish(flag),
  udpTimeout: nullish(text),
  udpStreamTimeout: nullish(text),
} satisfies AddressTemplate<ConntrackConfiguration>

const clientConnectionShape = {
  kubeconfig: nullish(text),
  acceptContentTypes: nullish(text),
  contentType: nullish(text),
  qps: nullish(number),
  burst: nullish(integer),
} satisfies AddressTemplate<ClientConnectionConfiguration>

const vmoduleSchema = objectOf({ filePattern: text, verbosity: integer })

const loggingShape = {
  format: nullish(text),
  flushFrequency: nullish(z.union([text, number], 'expected a duration')),
  verbosity: nullish(integer),
  vmodule: nullish(listOf(vmoduleSchema)),
  options: nullish(mapOf(z.unknown())),
} satisfies AddressTemplate<LoggingConfiguration>

const configurationShape = {
  apiVersion: nullish(text),
  kind: kindOf('KubeProxyConfiguration'),
  mode: nullish(text),
  clusterCIDR: nullish(text),
  detectLocalMode: nullish(text),
  detectLocal: nullish(objectOf(detectLocalShape)),
  nodePortAddresses: nullish(listOf(text)),
  iptables: nullish(objectOf(iptablesShape)),
  ipvs: nullish(objectOf(ipvsShape)),
  nftables: nullish(objectOf(nftablesShape)),
  winkernel: nullish(objectOf(winkernelShape)),
  conntrack: nullish(objectOf(conntrackShape)),
  clientConnection: nullish(objectOf(clientConnectionShape)),
  bindAddress: nullish(text),
  bindAddressHardFail: nullish(flag),
  hostnameOverride: nullish(text),
  healthzBindAddress: nullish(text),
  metricsBindAddress: nullish(text),
  enableProfiling: nullish(flag),
  showHiddenMetricsForVersion: nullish(text),
  oomScoreAdj: nullish(integer),
  configSyncPeriod: nullish(text),
  portRange: nullish(text),
  featureGates: nullish(mapOf(flag)),
  logging: nullish(objectOf(loggingShape)),
} satisfies AddressTemplate<KubeProxyConfiguration>

/** The field names of the configuration itself (`''`) and of each section. */
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

/** The structure of a KubeProxyConfiguration. The compiler checks its values. */
export const kubeProxyConfigurationSchema: z.ZodMiniType<KubeProxyConfiguration, KubeProxyConfiguration> =
  objectOf(configurationShape)

/** Validates a KubeProxyConfiguration and returns the same object, or all problems. */
export function safeParseKubeProxyConfiguration(value: unknown): Result<KubeProxyConfiguration> {
  return safeParseWith(kubeProxyConfigurationSchema, 'KubeProxyConfiguration', value)
}

/**
 * Validates a KubeProxyConfiguration and returns the same object.
 *
 * @throws a {@link DiagnosticsError} with all problems.
 */
export function parseKubeProxyConfiguration(value: unknown): KubeProxyConfiguration {
  return parseWith(kubeProxyConfigurationSchema, 'KubeProxyConfiguration', value)
}
