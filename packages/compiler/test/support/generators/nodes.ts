import type { HostFacts, KubeProxyConfiguration, Node, ServiceCIDR } from '@kube-rules/types'
import fc from 'fast-check'
import type { CompileOptions } from '../../../src/compilation/compile-result.js'
import { isFeatureGate } from '../../../src/model/configuration/feature-gates.js'
import { featureGateReleaseOf, featuresOf } from '../../../src/model/configuration/features.js'
import { newestVersionOf, parseProxyMode } from '../../../src/model/configuration/versions.js'
import type { ProxyMode } from '../../../src/targets/modes.js'
import { drawnVersions } from '../drawn-versions.js'
import { NODE_NAMES, OBJECT_NAMES } from './object-names.js'
import { anyOf, oneOf, type Weighted } from './weighted.js'

// Generators for the node of the rules: its objects, its machine, its configuration. Usually the node is known, and
// local traffic detection works.

const NODE_1: Node = {
  metadata: { name: NODE_NAMES[0], labels: { 'topology.kubernetes.io/zone': 'z1' } },
  spec: { podCIDRs: ['10.244.1.0/24', 'fd00:244:1::/64'] },
  status: {
    addresses: [
      { type: 'InternalIP', address: '192.168.0.2' },
      { type: 'InternalIP', address: '2001:db8::2' },
      { type: 'Hostname', address: 'node-1' },
    ],
  },
}
const NODE_2: Node = { metadata: { name: NODE_NAMES[1] }, spec: { podCIDR: '10.244.2.0/24' } }

export const nodeLists: fc.Arbitrary<readonly Node[]> = oneOf<readonly Node[]>(
  [6, [NODE_1, NODE_2]],
  [3, [NODE_1]],
  [1, [NODE_2]],
  [1, []],
)

export const serviceCIDRLists: fc.Arbitrary<readonly ServiceCIDR[]> = oneOf<readonly ServiceCIDR[]>(
  [2, []],
  [1, [{ metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/16', 'fd00:96::/112'] } }]],
  [
    1,
    [
      { metadata: { name: 'second' }, spec: { cidrs: ['198.51.100.0/24'] } },
      { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/16'] } },
    ],
  ],
)

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
  { mode = 'iptables', kubernetesVersion = newestVersionOf(mode) }: CompileOptions,
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

const INTERFACES = oneOf<HostFacts['interfaces']>(
  [
    8,
    [
      { name: 'lo', addresses: ['127.0.0.1/8', '::1/128'] },
      { name: 'eth0', addresses: ['192.168.0.2/24', '2001:db8::2/64', 'fe80::1/64'] },
    ],
  ],
  [1, [{ name: 'eth0', addresses: ['10.0.0.1/8'] }]],
  [1, []],
)

export const hosts: fc.Arbitrary<HostFacts | undefined> = anyOf<HostFacts | undefined>(
  [1, fc.constant(undefined)],
  [
    6,
    fc.record({
      interfaces: INTERFACES,
      iptablesRandomFully: oneOf([2, undefined], [1, true], [1, false]),
      conntrackTcpBeLiberal: oneOf([2, undefined], [1, true], [1, false]),
      nfacctCounters: oneOf([2, undefined], [1, true]),
    }),
  ],
)

type OptionsOfMode = CompileOptions & { readonly mode: ProxyMode }

const ofOneVersion: fc.Arbitrary<OptionsOfMode & { readonly oldVersion: string }> = fc.record({
  mode: oneOf<ProxyMode>([4, 'iptables'], [2, 'ipvs'], [2, 'nftables'], [1, 'userspace']),
  nodeName: oneOf([7, NODE_NAMES[0]], [1, 'node-3'], [1, undefined]),
  kubernetesVersion: oneOf<string | undefined>(
    [2, undefined],
    ...drawnVersions('iptables').map((version): Weighted<string> => [1, version]),
  ),
  oldVersion: fc.constantFrom(...drawnVersions('userspace')),
})

export const compileOptions: fc.Arbitrary<OptionsOfMode> = ofOneVersion.map(({ oldVersion, ...options }) =>
  options.mode === 'userspace' && options.kubernetesVersion !== undefined
    ? { ...options, kubernetesVersion: oldVersion }
    : optionsOfMode(options, options.mode),
)

/** Adapts the options to one mode; uses the newest version if the mode is not drawn in theirs. */
export function optionsOfMode<Mode extends ProxyMode>(
  { kubernetesVersion, ...options }: CompileOptions,
  mode: Mode,
): CompileOptions & { readonly mode: Mode } {
  const isDrawn = kubernetesVersion === undefined || drawnVersions(mode).includes(kubernetesVersion)
  return { ...options, mode, kubernetesVersion: isDrawn ? kubernetesVersion : undefined }
}

/** The port names of `services.ts`, and the empty name. */
const PORT_NAMES = ['', 'http', 'https', 'dns', 'dns-tcp', 'sig']

/**
 * Fixed local ports, because the choice of free ports depends on previous results: `userspace/proxy-ports` covers that.
 */
const PROXY_PORTS: Readonly<Record<string, number>> = Object.fromEntries(
  [...OBJECT_NAMES, { namespace: 'good', name: 'web' }]
    .flatMap(({ namespace, name }) => PORT_NAMES.map((port) => `${namespace}/${name}${port && ':'}${port}`))
    .map((text, index) => [text, 41_000 + index]),
)

/** Adds the fields that userspace mode needs to a host. */
export function understoodHost(host: HostFacts | undefined, { mode }: CompileOptions): HostFacts | undefined {
  return mode === 'userspace' ? { ...host, proxyPorts: PROXY_PORTS } : host
}
