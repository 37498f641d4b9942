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
  booleanSchema,
  integerSchema,
  kindSchema,
  listSchema,
  nullish,
  numberSchema,
  type ObjectShape,
  objectSchema,
  recordSchema,
  text,
} from './fields.js'
import { safeParseWith } from './parse-with.js'

const detectLocalShape = {
  bridgeInterface: nullish(text),
  interfaceNamePrefix: nullish(text),
} satisfies ObjectShape<DetectLocalConfiguration>

const iptablesShape = {
  masqueradeBit: nullish(integerSchema),
  masqueradeAll: nullish(booleanSchema),
  localhostNodePorts: nullish(booleanSchema),
  syncPeriod: nullish(text),
  minSyncPeriod: nullish(text),
} satisfies ObjectShape<IptablesConfiguration>

const ipvsShape = {
  syncPeriod: nullish(text),
  minSyncPeriod: nullish(text),
  scheduler: nullish(text),
  excludeCIDRs: nullish(listSchema(text)),
  strictARP: nullish(booleanSchema),
  tcpTimeout: nullish(text),
  tcpFinTimeout: nullish(text),
  udpTimeout: nullish(text),
} satisfies ObjectShape<IpvsConfiguration>

const nftablesShape = {
  masqueradeBit: nullish(integerSchema),
  masqueradeAll: nullish(booleanSchema),
  syncPeriod: nullish(text),
  minSyncPeriod: nullish(text),
} satisfies ObjectShape<NftablesConfiguration>

const winkernelShape = {
  networkName: nullish(text),
  sourceVip: nullish(text),
  enableDSR: nullish(booleanSchema),
  rootHnsEndpointName: nullish(text),
  forwardHealthCheckVip: nullish(booleanSchema),
} satisfies ObjectShape<WinkernelConfiguration>

const conntrackShape = {
  maxPerCore: nullish(integerSchema),
  min: nullish(integerSchema),
  tcpEstablishedTimeout: nullish(text),
  tcpCloseWaitTimeout: nullish(text),
  tcpBeLiberal: nullish(booleanSchema),
  udpTimeout: nullish(text),
  udpStreamTimeout: nullish(text),
} satisfies ObjectShape<ConntrackConfiguration>

const clientConnectionShape = {
  kubeconfig: nullish(text),
  acceptContentTypes: nullish(text),
  contentType: nullish(text),
  qps: nullish(numberSchema),
  burst: nullish(integerSchema),
} satisfies ObjectShape<ClientConnectionConfiguration>

const vmoduleSchema = objectSchema({ filePattern: text, verbosity: integerSchema })

const loggingShape = {
  format: nullish(text),
  flushFrequency: nullish(z.union([text, numberSchema], 'expected a duration')),
  verbosity: nullish(integerSchema),
  vmodule: nullish(listSchema(vmoduleSchema)),
  options: nullish(recordSchema(z.unknown())),
} satisfies ObjectShape<LoggingConfiguration>

const configurationShape = {
  apiVersion: nullish(text),
  kind: kindSchema('KubeProxyConfiguration'),
  mode: nullish(text),
  clusterCIDR: nullish(text),
  detectLocalMode: nullish(text),
  detectLocal: nullish(objectSchema(detectLocalShape)),
  nodePortAddresses: nullish(listSchema(text)),
  iptables: nullish(objectSchema(iptablesShape)),
  ipvs: nullish(objectSchema(ipvsShape)),
  nftables: nullish(objectSchema(nftablesShape)),
  winkernel: nullish(objectSchema(winkernelShape)),
  conntrack: nullish(objectSchema(conntrackShape)),
  clientConnection: nullish(objectSchema(clientConnectionShape)),
  bindAddress: nullish(text),
  bindAddressHardFail: nullish(booleanSchema),
  hostnameOverride: nullish(text),
  healthzBindAddress: nullish(text),
  metricsBindAddress: nullish(text),
  enableProfiling: nullish(booleanSchema),
  showHiddenMetricsForVersion: nullish(text),
  oomScoreAdj: nullish(integerSchema),
  configSyncPeriod: nullish(text),
  portRange: nullish(text),
  featureGates: nullish(recordSchema(booleanSchema)),
  logging: nullish(objectSchema(loggingShape)),
} satisfies ObjectShape<KubeProxyConfiguration>

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
  objectSchema(configurationShape)

/** Validates a KubeProxyConfiguration and returns the same object, or all problems. */
export function safeParseKubeProxyConfiguration(value: unknown): Result<KubeProxyConfiguration> {
  return safeParseWith(kubeProxyConfigurationSchema, 'KubeProxyConfiguration', value)
}
