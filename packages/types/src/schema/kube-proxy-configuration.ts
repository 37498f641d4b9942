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
  stringSchema,
} from './fields.js'
import { safeParseWith } from './parse-with.js'

const detectLocalShape = {
  bridgeInterface: nullish(stringSchema),
  interfaceNamePrefix: nullish(stringSchema),
} satisfies ObjectShape<DetectLocalConfiguration>

const iptablesShape = {
  masqueradeBit: nullish(integerSchema),
  masqueradeAll: nullish(booleanSchema),
  localhostNodePorts: nullish(booleanSchema),
  syncPeriod: nullish(stringSchema),
  minSyncPeriod: nullish(stringSchema),
} satisfies ObjectShape<IptablesConfiguration>

const ipvsShape = {
  syncPeriod: nullish(stringSchema),
  minSyncPeriod: nullish(stringSchema),
  scheduler: nullish(stringSchema),
  excludeCIDRs: nullish(listSchema(stringSchema)),
  strictARP: nullish(booleanSchema),
  tcpTimeout: nullish(stringSchema),
  tcpFinTimeout: nullish(stringSchema),
  udpTimeout: nullish(stringSchema),
} satisfies ObjectShape<IpvsConfiguration>

const nftablesShape = {
  masqueradeBit: nullish(integerSchema),
  masqueradeAll: nullish(booleanSchema),
  syncPeriod: nullish(stringSchema),
  minSyncPeriod: nullish(stringSchema),
} satisfies ObjectShape<NftablesConfiguration>

const winkernelShape = {
  networkName: nullish(stringSchema),
  sourceVip: nullish(stringSchema),
  enableDSR: nullish(booleanSchema),
  rootHnsEndpointName: nullish(stringSchema),
  forwardHealthCheckVip: nullish(booleanSchema),
} satisfies ObjectShape<WinkernelConfiguration>

const conntrackShape = {
  maxPerCore: nullish(integerSchema),
  min: nullish(integerSchema),
  tcpEstablishedTimeout: nullish(stringSchema),
  tcpCloseWaitTimeout: nullish(stringSchema),
  tcpBeLiberal: nullish(booleanSchema),
  udpTimeout: nullish(stringSchema),
  udpStreamTimeout: nullish(stringSchema),
} satisfies ObjectShape<ConntrackConfiguration>

const clientConnectionShape = {
  kubeconfig: nullish(stringSchema),
  acceptContentTypes: nullish(stringSchema),
  contentType: nullish(stringSchema),
  qps: nullish(numberSchema),
  burst: nullish(integerSchema),
} satisfies ObjectShape<ClientConnectionConfiguration>

const vmoduleSchema = objectSchema<{ readonly filePattern: string; readonly verbosity: number }>({
  filePattern: stringSchema,
  verbosity: integerSchema,
})

const loggingShape = {
  format: nullish(stringSchema),
  flushFrequency: nullish(z.union([stringSchema, numberSchema], 'expected a duration')),
  verbosity: nullish(integerSchema),
  vmodule: nullish(listSchema(vmoduleSchema)),
  options: nullish(recordSchema(z.unknown())),
} satisfies ObjectShape<LoggingConfiguration>

const configurationShape = {
  apiVersion: nullish(stringSchema),
  kind: kindSchema('KubeProxyConfiguration'),
  mode: nullish(stringSchema),
  clusterCIDR: nullish(stringSchema),
  detectLocalMode: nullish(stringSchema),
  detectLocal: nullish(objectSchema(detectLocalShape)),
  nodePortAddresses: nullish(listSchema(stringSchema)),
  iptables: nullish(objectSchema(iptablesShape)),
  ipvs: nullish(objectSchema(ipvsShape)),
  nftables: nullish(objectSchema(nftablesShape)),
  winkernel: nullish(objectSchema(winkernelShape)),
  conntrack: nullish(objectSchema(conntrackShape)),
  clientConnection: nullish(objectSchema(clientConnectionShape)),
  bindAddress: nullish(stringSchema),
  bindAddressHardFail: nullish(booleanSchema),
  hostnameOverride: nullish(stringSchema),
  healthzBindAddress: nullish(stringSchema),
  metricsBindAddress: nullish(stringSchema),
  enableProfiling: nullish(booleanSchema),
  showHiddenMetricsForVersion: nullish(stringSchema),
  oomScoreAdj: nullish(integerSchema),
  configSyncPeriod: nullish(stringSchema),
  portRange: nullish(stringSchema),
  featureGates: nullish(recordSchema(booleanSchema)),
  logging: nullish(objectSchema(loggingShape)),
} satisfies ObjectShape<KubeProxyConfiguration>

/** The known field names of each section of the configuration; `''` is the section of the top-level fields. */
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

/** The schema of a KubeProxyConfiguration: only its structure. The compiler checks the values. */
export const kubeProxyConfigurationSchema: z.ZodMiniType<KubeProxyConfiguration, KubeProxyConfiguration> =
  objectSchema(configurationShape)

/** Validates a KubeProxyConfiguration and returns the same object, or all problems. */
export function safeParseKubeProxyConfiguration(value: unknown): Result<KubeProxyConfiguration> {
  return safeParseWith(kubeProxyConfigurationSchema, 'KubeProxyConfiguration', value)
}
