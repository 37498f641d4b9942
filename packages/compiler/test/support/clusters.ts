import type {
  EndpointSlice,
  Endpoints,
  Host,
  KubeProxyConfiguration,
  Node,
  Service,
  ServicePortSpec,
  ServiceSpec,
  SliceEndpoint,
} from '@kube-rules/types'
import fc from 'fast-check'
import type { CompileOptions } from '../../src/compile.js'
import { SUPPORTED_VERSIONS } from '../../src/configuration/features.js'

// Inputs of `compile` from few names and addresses, so that Services share addresses, slices share endpoints, and
// names begin with one another.

/** An input whose lists are arrays; no two objects of one kind have the same name. */
export interface Cluster {
  readonly services: readonly Service[]
  readonly endpointSlices: readonly EndpointSlice[]
  readonly endpoints: readonly Endpoints[]
  readonly nodes: readonly Node[]
  readonly configuration: KubeProxyConfiguration
  readonly host: Host | undefined
}

export interface Case {
  readonly cluster: Cluster
  readonly options: CompileOptions & { readonly mode: 'iptables' | 'ipvs' }
}

interface ObjectName {
  readonly namespace: string
  readonly name: string
}

const OBJECT_NAMES: readonly ObjectName[] = [
  { namespace: 'a', name: 'web' },
  { namespace: 'a', name: 'web-1' },
  { namespace: 'a', name: 'w' },
  { namespace: 'a-b', name: 'web' },
  { namespace: 'b', name: '0db' },
]
const NODE_NAMES = ['node-1', 'node-2']
const CLUSTER_IPS = { IPv4: ['10.96.0.1', '10.96.0.2'], IPv6: ['fd00:96::1', 'fd00:96::2'] } as const
const EXTERNAL_IPS = ['192.0.2.1', '192.0.2.2', '192.168.0.2', '2001:db8::1', '010.0.0.9', '10.96.0.1', '2001:DB8::2']
const INGRESS_IPS = ['198.51.100.1', '198.51.100.2', '192.0.2.1', '2001:db8:1::1']
const SOURCE_RANGES = [
  ['203.0.113.0/24'],
  [' 192.168.0.9/16 ', '2001:db8::/32'],
  ['203.0.113.0/24', '0.0.0.0/0'],
  ['::/0', '192.0.2.7/32'],
  [],
]
const ENDPOINT_IPS = {
  IPv4: ['10.244.1.1', '10.244.1.2', '10.244.2.1', '10.244.10.1', '192.168.0.2'],
  IPv6: ['fd00:244:1::1', 'fd00:244:1::2', 'fd00:244:2::1', 'fd00:244:10::1'],
} as const

const SERVICE_PORTS: readonly ServicePortSpec[] = [
  { name: 'http', port: 80 },
  { name: 'https', protocol: 'TCP', port: 443 },
  { name: 'dns', protocol: 'UDP', port: 53 },
  { name: 'dns-tcp', port: 53 },
  { name: 'sig', protocol: 'SCTP', port: 65535 },
  { port: 80 },
]

function maybe<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(value, { nil: undefined })
}

const clusterIPs: fc.Arbitrary<ServiceSpec> = fc
  .record({
    v4: fc.constantFrom(...CLUSTER_IPS.IPv4),
    v6: fc.constantFrom(...CLUSTER_IPS.IPv6),
    form: fc.constantFrom('v4', 'v4', 'v6', 'dual', 'dual', 'dual6', 'old', 'none', 'missing'),
  })
  .map(({ v4, v6, form }): ServiceSpec => {
    if (form === 'none') return { clusterIP: 'None' }
    if (form === 'missing') return {}
    if (form === 'old') return { clusterIP: v4 }
    if (form === 'dual') return { clusterIP: v4, clusterIPs: [v4, v6], ipFamilies: ['IPv4', 'IPv6'] }
    if (form === 'dual6') return { clusterIP: v6, clusterIPs: [v6, v4], ipFamilies: ['IPv6', 'IPv4'] }
    if (form === 'v6') return { clusterIP: v6, clusterIPs: [v6], ipFamilies: ['IPv6'] }
    return { clusterIP: v4, clusterIPs: [v4], ipFamilies: ['IPv4'] }
  })

const servicePorts = fc
  .subarray([...SERVICE_PORTS], { minLength: 1, maxLength: 3 })
  .chain((ports) =>
    fc
      .array(fc.constantFrom(undefined, 0, 30080, 30081), { minLength: ports.length, maxLength: ports.length })
      .map((nodePorts) => ports.map((port, index) => ({ ...port, nodePort: nodePorts[index] }))),
  )

const serviceSpecs: fc.Arbitrary<ServiceSpec> = fc
  .tuple(
    clusterIPs,
    servicePorts,
    fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer', 'LoadBalancer', 'ExternalName'),
    fc.record(
      {
        externalIPs: fc.subarray(EXTERNAL_IPS, { maxLength: 2 }),
        loadBalancerSourceRanges: fc.constantFrom(...SOURCE_RANGES),
        sessionAffinity: fc.constantFrom('None', 'ClientIP'),
        sessionAffinityConfig: fc.constantFrom(null, { clientIP: { timeoutSeconds: 300 } }),
        externalTrafficPolicy: fc.constantFrom('Cluster', 'Local'),
        internalTrafficPolicy: fc.constantFrom('Cluster', 'Local'),
        healthCheckNodePort: fc.constantFrom(0, 32000, 32001),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([ips, ports, type, rest]) => ({ ...rest, ...ips, type, ports }))

const ingress = fc.array(
  fc.record(
    { ip: fc.constantFrom(...INGRESS_IPS), ipMode: fc.constantFrom('VIP', 'Proxy'), hostname: fc.constant('lb.test') },
    { requiredKeys: [] },
  ),
  { maxLength: 2 },
)

const SERVICE_LABELS = [
  undefined,
  undefined,
  { app: 'x' },
  { 'service.kubernetes.io/headless': '' },
  { 'service.kubernetes.io/service-proxy-name': 'other' },
]
const ANNOTATIONS = [undefined, { 'service.kubernetes.io/topology-mode': 'Auto' }]

function serviceNamed(name: ObjectName): fc.Arbitrary<Service> {
  return fc
    .record({
      labels: fc.constantFrom(...SERVICE_LABELS),
      annotations: fc.constantFrom(...ANNOTATIONS),
      spec: serviceSpecs,
      ingress,
    })
    .map(({ labels, annotations, spec, ingress: given }) => ({
      metadata: { ...name, labels, annotations },
      spec,
      status: spec.type === 'LoadBalancer' ? { loadBalancer: { ingress: given } } : null,
    }))
}

function sliceEndpoint(addresses: readonly string[]): fc.Arbitrary<SliceEndpoint> {
  return fc.record(
    {
      addresses: fc.constantFrom(...addresses).map((address) => [address]),
      conditions: fc.record(
        {
          ready: fc.constantFrom(true, true, false, null),
          serving: fc.boolean(),
          terminating: fc.constantFrom(false, false, true),
        },
        { requiredKeys: [] },
      ),
      nodeName: fc.constantFrom(...NODE_NAMES, null),
      hints: fc.record(
        {
          forZones: fc.constantFrom([{ name: 'z1' }], [{ name: 'z2' }], [{ name: 'z1' }, { name: 'z2' }], []),
          forNodes: fc.constantFrom([{ name: 'node-1' }], [{ name: 'node-2' }]),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['addresses', 'nodeName'] },
  )
}

const SLICE_PORTS = [
  { name: 'http', port: 8080 },
  { name: 'https', protocol: 'TCP', port: 8443 },
  { name: 'dns', protocol: 'UDP', port: 53 },
  { name: 'dns-tcp', protocol: 'TCP', port: 53 },
  { name: 'sig', protocol: 'SCTP', port: 1 },
  { name: '', port: 80 },
]

function sliceNamed(service: ObjectName, family: 'IPv4' | 'IPv6', number: number): fc.Arbitrary<EndpointSlice> {
  return fc
    .record({
      ports: fc.subarray(SLICE_PORTS, { minLength: 3 }),
      endpoints: fc.array(sliceEndpoint(ENDPOINT_IPS[family]), { maxLength: 6 }),
    })
    .map(({ ports, endpoints }) => ({
      metadata: {
        namespace: service.namespace,
        name: `${service.name}-${family.toLowerCase()}-${number}`,
        labels: { 'kubernetes.io/service-name': service.name },
      },
      addressType: family,
      ports,
      endpoints,
    }))
}

const endpointSlices = fc
  .subarray(OBJECT_NAMES.flatMap((name) => [1, 2, 10].map((number) => ({ name, number }))))
  .chain((slots) =>
    fc.tuple(
      ...slots.flatMap(({ name, number }) => [sliceNamed(name, 'IPv4', number), sliceNamed(name, 'IPv6', number)]),
    ),
  )

function endpointsNamed(name: ObjectName): fc.Arbitrary<Endpoints> {
  const address = fc.record({
    ip: fc.constantFrom(...ENDPOINT_IPS.IPv4, ...ENDPOINT_IPS.IPv6),
    nodeName: fc.constantFrom(...NODE_NAMES, undefined),
  })
  const subset = fc.record({
    addresses: fc.array(address, { maxLength: 3 }),
    notReadyAddresses: fc.array(address, { maxLength: 1 }),
    ports: fc.constantFrom([{ name: 'http', port: 8080 }], [{ port: 80 }, { name: 'dns', protocol: 'UDP', port: 53 }]),
  })
  return fc.array(subset, { maxLength: 2 }).map((subsets) => ({ metadata: { ...name }, subsets }))
}

/** Objects for some of the names, each name once. */
function forSomeNames<T>(make: (name: ObjectName) => fc.Arbitrary<T>, maxLength = 4): fc.Arbitrary<readonly T[]> {
  return fc.subarray([...OBJECT_NAMES], { maxLength }).chain((names) => fc.tuple(...names.map(make)))
}

const NODES: readonly Node[] = [
  {
    metadata: { name: 'node-1', labels: { 'topology.kubernetes.io/zone': 'z1' } },
    spec: { podCIDRs: ['10.244.1.0/24', 'fd00:244:1::/64'] },
    status: {
      addresses: [
        { type: 'InternalIP', address: '192.168.0.2' },
        { type: 'InternalIP', address: '2001:db8::2' },
        { type: 'Hostname', address: 'node-1' },
      ],
    },
  },
  { metadata: { name: 'node-2' }, spec: { podCIDR: '10.244.2.0/24' } },
]

const DETECT_LOCAL: readonly KubeProxyConfiguration[] = [
  {},
  { clusterCIDR: '10.244.0.0/16' },
  { clusterCIDR: '10.244.0.0/16,fd00:244::/32' },
  { detectLocalMode: 'NodeCIDR' },
  { detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: 'cbr0' } },
  { detectLocalMode: 'InterfaceNamePrefix', detectLocal: { interfaceNamePrefix: 'veth' } },
]

const NODE_PORT_ADDRESSES = [
  [],
  ['192.168.0.0/24'],
  ['127.0.0.0/8', '192.168.0.0/16'],
  ['0.0.0.0/0', '2001:db8::/32'],
  ['10.1.0.0/16'],
]

export const configurations: fc.Arbitrary<KubeProxyConfiguration> = fc
  .record({
    detectLocal: fc.constantFrom(...DETECT_LOCAL),
    nodePortAddresses: fc.constantFrom(...NODE_PORT_ADDRESSES),
    iptables: fc.record(
      {
        masqueradeBit: fc.constantFrom(0, 14, 31),
        masqueradeAll: fc.boolean(),
        localhostNodePorts: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    ipvs: fc.record(
      { scheduler: fc.constantFrom('', 'rr', 'wlc', 'sh', 'mh'), strictARP: fc.boolean() },
      { requiredKeys: [] },
    ),
    conntrack: fc.constantFrom(undefined, { tcpBeLiberal: true }),
  })
  .map(({ detectLocal, ...rest }) => ({ ...rest, ...detectLocal }))

export const hosts: fc.Arbitrary<Host | undefined> = maybe(
  fc.record(
    {
      interfaces: fc.constantFrom(
        [
          { name: 'lo', addresses: ['127.0.0.1/8', '::1/128'] },
          { name: 'eth0', addresses: ['192.168.0.2/24', '2001:db8::2/64', 'fe80::1/64'] },
        ],
        [{ name: 'eth0', addresses: ['10.0.0.1/8'] }],
        [],
      ),
      iptablesRandomFully: fc.boolean(),
      conntrackTcpBeLiberal: fc.boolean(),
      nfacctCounters: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
)

export const clusters: fc.Arbitrary<Cluster> = fc.record({
  services: forSomeNames(serviceNamed),
  endpointSlices,
  endpoints: forSomeNames(endpointsNamed, 2),
  nodes: fc.subarray([...NODES]),
  configuration: configurations,
  host: hosts,
})

export const compileOptions: fc.Arbitrary<Case['options']> = fc.record(
  {
    mode: fc.constantFrom('iptables', 'iptables', 'ipvs'),
    nodeName: fc.constantFrom('node-1', 'node-1', 'node-3', undefined),
    kubernetesVersion: fc.constantFrom(...SUPPORTED_VERSIONS),
  },
  { requiredKeys: ['mode', 'nodeName'] },
)

/** An input without errors and the options to compile it with. */
export const cases: fc.Arbitrary<Case> = fc.record({ cluster: clusters, options: compileOptions })
