import { type EndpointSlice, IP_FAMILIES, type IpFamily, type Service, type ServiceSpec } from '@kube-rules/types'
import type { CompileInput } from '../../../src/compilation/compile-result.js'
import { ADDRESSES, HOST, type Place } from './topology.js'

// The Services that receive packets. All are dual-stack, and all addresses of a Service contain the same number.

type AddressKind = 'clusterIP' | 'externalIP' | 'loadBalancer'

/** Returns the address of a Service. */
export function serviceAddress(kind: AddressKind, service: ServiceName, family: IpFamily): string {
  return `${PREFIXES[kind][family]}${NAMES.indexOf(service) + 1}`
}

const PREFIXES: Readonly<Record<AddressKind, Readonly<Record<IpFamily, string>>>> = {
  clusterIP: { IPv4: '10.96.0.', IPv6: 'fd00:96::' },
  externalIP: { IPv4: '198.51.100.', IPv6: '2001:db8:9::' },
  loadBalancer: { IPv4: '203.0.113.', IPv6: '2001:db8:8::' },
}

const NAMES = [
  'web',
  'dns',
  'self',
  'sticky',
  'empty',
  'local',
  'away',
  'inside',
  'outside',
  'ranged',
  'flow',
  'signal',
] as const

export type ServiceName = (typeof NAMES)[number]

const ALL: readonly Place[] = ['pod1', 'pod2', 'pod3']
const TCP = { name: 'tcp', protocol: 'TCP', port: 80 }
const UDP = { name: 'udp', protocol: 'UDP', port: 53 }
const SCTP = { name: 'sctp', protocol: 'SCTP', port: 3868 }

/** The endpoints of Services. */
export type Pods = Partial<Record<ServiceName, readonly Place[]>>

interface Definition {
  readonly name: ServiceName
  readonly pods: readonly Place[]
  readonly spec: ServiceSpec
}

const DEFINITIONS: readonly Definition[] = [
  { name: 'web', pods: ALL, spec: { type: 'LoadBalancer', ports: [{ ...TCP, nodePort: 30080 }] } },
  { name: 'dns', pods: ALL, spec: { type: 'NodePort', ports: [{ ...UDP, nodePort: 30053 }] } },
  { name: 'self', pods: ['pod1'], spec: { ports: [TCP] } },
  { name: 'sticky', pods: ALL, spec: { ports: [TCP], sessionAffinity: 'ClientIP' } },
  { name: 'empty', pods: [], spec: { type: 'NodePort', ports: [{ ...TCP, nodePort: 30040 }, UDP] } },
  {
    name: 'local',
    pods: ['pod1', 'pod3'],
    spec: {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 32000,
      ports: [{ ...TCP, nodePort: 30090 }],
    },
  },
  {
    name: 'away',
    pods: ['pod3'],
    spec: { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ ...TCP, nodePort: 30091 }] },
  },
  { name: 'inside', pods: ['pod1', 'pod3'], spec: { internalTrafficPolicy: 'Local', ports: [TCP] } },
  { name: 'outside', pods: ['pod3'], spec: { internalTrafficPolicy: 'Local', ports: [TCP] } },
  {
    name: 'ranged',
    pods: ALL,
    spec: {
      type: 'LoadBalancer',
      loadBalancerSourceRanges: ['192.0.2.2/32', '2001:db8:1::2/128'],
      ports: [{ ...TCP, nodePort: 30100 }],
    },
  },
  { name: 'flow', pods: ['pod1', 'pod2'], spec: { ports: [UDP] } },
  { name: 'signal', pods: ALL, spec: { ports: [SCTP] } },
]

/** Builds the complete input of `compile`; `pods` overrides the endpoints of a Service. */
export function clusterOf(pods: Pods = {}): CompileInput {
  const definitions = DEFINITIONS.map((each) => ({ ...each, pods: pods[each.name] ?? each.pods }))
  return {
    services: definitions.map(serviceOf),
    endpointSlices: definitions.flatMap((each) => IP_FAMILIES.map((family) => sliceOf(each, family))),
    nodes: [{ metadata: { name: 'node' } }],
    configuration: { mode: 'iptables', clusterCIDR: '10.244.0.0/16,fd00:244::/32' },
    host: HOST,
  }
}

function serviceOf({ name, spec }: Definition): Service {
  const addresses = (kind: AddressKind) => IP_FAMILIES.map((family) => serviceAddress(kind, name, family))
  const clusterIPs = addresses('clusterIP')
  const ingress = spec.type === 'LoadBalancer' ? addresses('loadBalancer').map((ip) => ({ ip })) : []
  const externalIPs = name === 'web' ? addresses('externalIP') : []
  return {
    metadata: { namespace: 'lab', name },
    spec: { clusterIP: clusterIPs[0], clusterIPs, ipFamilies: IP_FAMILIES, externalIPs, ...spec },
    status: { loadBalancer: { ingress } },
  }
}

function sliceOf({ name, pods }: Definition, family: IpFamily): EndpointSlice {
  return {
    metadata: {
      namespace: 'lab',
      name: `${name}-${family.toLowerCase()}`,
      labels: { 'kubernetes.io/service-name': name },
    },
    addressType: family,
    ports: [
      { name: 'tcp', protocol: 'TCP', port: 8080 },
      { name: 'udp', protocol: 'UDP', port: 5353 },
      { name: 'sctp', protocol: 'SCTP', port: 9899 },
    ],
    endpoints: pods.map((pod) => ({
      addresses: [ADDRESSES[pod][family]],
      nodeName: pod === 'pod3' ? 'other' : 'node',
    })),
  }
}
