import type { ProxyMode } from '@kube-rules/compiler'
import { isFeatureGate } from '@kube-rules/compiler/internal/model/configuration/feature-gates'
import { featureGateReleaseOf, featuresOf } from '@kube-rules/compiler/internal/model/configuration/features'
import { newestVersionOf, parseProxyMode } from '@kube-rules/compiler/internal/model/configuration/versions'
import type { KubeProxyConfiguration } from '@kube-rules/types'
import fc from 'fast-check'
import { oneOf } from './weighted.js'

// Generators for the configuration of kube-proxy. Usually local traffic detection works.

/** The kube-proxy that reads a configuration. It rejects unknown settings. */
export interface ProxyRelease {
  /** The mode. Default: `iptables`. */
  readonly mode?: ProxyMode | undefined
  /** The Kubernetes minor version, such as `1.30`. Default: the newest version with the mode. */
  readonly kubernetesVersion?: string | undefined
}

const DETECT_LOCAL = oneOf<KubeProxyConfiguration>(
  [2, {}],
  [2, { clusterCIDR: '10.244.0.0/16' }],
  [3, { clusterCIDR: '10.244.0.0/16,fd00:244::/32' }],
  [2, { detectLocalMode: 'NodeCIDR' }],
  [2, { detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: 'cbr0' } }],
  [2, { detectLocalMode: 'InterfaceNamePrefix', detectLocal: { interfaceNamePrefix: 'veth' } }],
)

const NODE_PORT_ADDRESSES = oneOf<readonly string[]>(
  [5, []],
  [2, ['192.168.0.0/24']],
  [2, ['127.0.0.0/8', '192.168.0.0/16']],
  [1, ['0.0.0.0/0', '2001:db8::/32']],
  [1, ['10.1.0.0/16']],
  [1, ['primary']],
  [3, ['primary', 'localhost']],
  [1, ['all']],
)

/** The first version that supports each keyword in the node-port addresses. */
const WORDS: Readonly<Record<string, string>> = { primary: '1.31', localhost: '1.37', all: '1.37' }

const FEATURE_GATES = oneOf<KubeProxyConfiguration['featureGates']>(
  [8, undefined],
  [1, { AllAlpha: true }],
  [1, { AllBeta: false }],
  [2, { AllowServiceExternalIPs: false, KubeProxyIPVS: true }],
  [1, { KubeProxyNFTablesLocalhostNodePorts: true }],
)

/** Removes settings that kube-proxy of the version would reject; returns the same object if there are none. */
export function understood(
  configuration: KubeProxyConfiguration,
  { mode = 'iptables', kubernetesVersion = newestVersionOf(mode) }: ProxyRelease,
): KubeProxyConfiguration {
  const { nodePortAddresses: addresses, featureGates: given } = configuration
  // nftables mode requires a feature gate, which can also disable it, until it is stable.
  const isGated = mode === 'nftables' && kubernetesVersion < '1.33'
  const gates = isGated ? { ...given, NFTablesProxyMode: true } : given
  const nodePortAddresses = addresses?.filter((address) => (WORDS[address] ?? '') <= kubernetesVersion)
  const featureGates =
    gates && Object.fromEntries(Object.entries(gates).filter(([name]) => isKnown(name, kubernetesVersion)))
  const isWhole =
    !isGated &&
    nodePortAddresses?.length === addresses?.length &&
    Object.keys(featureGates ?? {}).length === Object.keys(gates ?? {}).length
  return ofOlder(
    isWhole ? configuration : { ...configuration, nodePortAddresses, featureGates },
    mode,
    kubernetesVersion,
  )
}

/** Removes settings that kube-proxy before 1.27 would reject; returns the same object if there are none. */
function ofOlder(given: KubeProxyConfiguration, mode: string, version: string): KubeProxyConfiguration {
  const gates = new Map(Object.entries(given.featureGates ?? {}))
  const { detectLocalByInterface, anyScheduler, singleStack } = featuresOf(parseProxyMode(mode), version, gates)
  const { detectLocal, detectLocalMode, ...others } = given
  const byInterface = detectLocal !== undefined && !detectLocalByInterface
  const several = singleStack && given.clusterCIDR?.includes(',') === true
  // In any mode, because tests also compile the configuration for ipvs mode.
  const unknownScheduler = !anyScheduler && given.ipvs?.scheduler === 'mh'
  if (!byInterface && !several && !unknownScheduler) return given
  return {
    ...(byInterface ? others : given),
    ...(several && { clusterCIDR: given.clusterCIDR?.split(',')[0] }),
    ...(unknownScheduler && { ipvs: { ...given.ipvs, scheduler: 'sh' } }),
  }
}

function isKnown(gate: string, version: string): boolean {
  return !isFeatureGate(gate) || featureGateReleaseOf(gate, version) !== undefined
}

/** Generates configurations. Only newer versions support some of them; `understood` converts them for an older version. */
export const configurations: fc.Arbitrary<KubeProxyConfiguration> = fc
  .record({
    detectLocal: DETECT_LOCAL,
    nodePortAddresses: NODE_PORT_ADDRESSES,
    featureGates: FEATURE_GATES,
    iptables: fc.record({
      masqueradeBit: oneOf([4, undefined], [1, 0], [1, 14], [1, 31]),
      masqueradeAll: oneOf([4, undefined], [1, true]),
      localhostNodePorts: oneOf([3, undefined], [1, true], [2, false]),
    }),
    ipvs: fc.record({
      scheduler: oneOf([3, undefined], [1, ''], [3, 'rr'], [1, 'wlc'], [1, 'sh'], [1, 'mh']),
      strictARP: oneOf([1, undefined], [1, true]),
    }),
    conntrack: oneOf([3, undefined], [1, { tcpBeLiberal: true }]),
  })
  .map(({ detectLocal, ...rest }) => ({ ...rest, ...detectLocal }))
