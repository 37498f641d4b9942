import type { IpFamily, LoadBalancerIngress, Service, ServicePortSpec, ServiceSpec } from '@kube-rules/types'
import fc from 'fast-check'
import { numberOf, type ObjectName } from './object-names.js'
import { anyOf, oneOf, someOf } from './weighted.js'

// Services. Most of them have their own cluster IP and ports, so that most packets are for a single Service; one in ten
// has conflicting claims.

/** Two external IPs are addresses of the node, one has another notation, and one is a cluster IP. */
const EXTERNAL_IPS = ['192.0.2.1', '192.0.2.2', '192.168.0.2', '2001:db8::1', '010.0.0.9', '10.96.0.1', '2001:DB8:0::2']
const INGRESS_IPS = ['198.51.100.1', '198.51.100.2', '192.0.2.1', '2001:db8:1::1']

const SOURCE_RANGES = oneOf<readonly string[] | undefined>(
  [5, undefined],
  [3, ['203.0.113.0/24', '2001:db8:ffff::/48']],
  [2, [' 192.168.0.9/16 ', '2001:DB8::/32']],
  [1, ['203.0.113.0/24', '0.0.0.0/0']],
  [1, ['::/0', '192.0.2.7/32']],
  [1, []],
)

const SERVICE_PORTS: readonly ServicePortSpec[] = [
  { name: 'http', port: 80 },
  { name: 'https', protocol: 'TCP', port: 443 },
  { name: 'dns', protocol: 'UDP', port: 53 },
  { name: 'dns-tcp', port: 53 },
  { name: 'sig', protocol: 'SCTP', port: 65535 },
  { port: 80 },
]

/** Returns the cluster IP of the Service with this number. */
export function clusterIPOf(family: IpFamily, number: number): string {
  return family === 'IPv4' ? `10.96.0.${number}` : `fd00:96::${number}`
}

/** Generates the Service's own cluster IPs, or cluster IPs that Services share. */
function clusterIPs(name: ObjectName): fc.Arbitrary<ServiceSpec> {
  const number = oneOf([9, numberOf(name)], [2, 1])
  const form = oneOf([3, 'v4'], [2, 'v6'], [9, 'dual'], [3, 'dual6'], [1, 'old'], [1, 'none'], [1, 'missing'])
  return fc.tuple(number, form).map(([last, chosen]): ServiceSpec => {
    const [v4, v6] = [clusterIPOf('IPv4', last), clusterIPOf('IPv6', last)]
    if (chosen === 'none') return { clusterIP: 'None' }
    if (chosen === 'missing') return {}
    if (chosen === 'old') return { clusterIP: v4 }
    if (chosen === 'dual') return { clusterIP: v4, clusterIPs: [v4, v6], ipFamilies: ['IPv4', 'IPv6'] }
    if (chosen === 'dual6') return { clusterIP: v6, clusterIPs: [v6, v4], ipFamilies: ['IPv6', 'IPv4'] }
    if (chosen === 'v6') return { clusterIP: v6, clusterIPs: [v6], ipFamilies: ['IPv6'] }
    return { clusterIP: v4, clusterIPs: [v4], ipFamilies: ['IPv4'] }
  })
}

/** Returns the node port that no other Service has. */
export function ownNodePort(name: ObjectName, port: ServicePortSpec): number {
  return 30_000 + 10 * numberOf(name) + SERVICE_PORTS.findIndex((each) => each.name === port.name)
}

/** Returns the health-check node port that no other Service has. */
export function ownHealthCheckNodePort(name: ObjectName): number {
  return 32_000 + numberOf(name)
}

type ServiceType = 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName'

const NODE_PORT_WEIGHTS: Readonly<Record<ServiceType, number>> = {
  ClusterIP: 1,
  NodePort: 20,
  LoadBalancer: 8,
  ExternalName: 1,
}

/** Generates the Service's own node ports, or a shared one. */
function servicePorts(name: ObjectName, type: ServiceType): fc.Arbitrary<readonly ServicePortSpec[]> {
  return someOf(SERVICE_PORTS, [6, 1], [3, 2], [1, 3]).chain((ports) =>
    fc.tuple(
      ...ports.map((port) => {
        const own = ownNodePort(name, port)
        const nodePort = oneOf([4, undefined], [1, 0], [NODE_PORT_WEIGHTS[type], own], [1, 30_080])
        return nodePort.map((number) => ({ ...port, nodePort: number }))
      }),
    ),
  )
}

function serviceSpec(name: ObjectName, type: ServiceType): fc.Arbitrary<ServiceSpec> {
  const rest: fc.Arbitrary<ServiceSpec> = fc.record({
    externalIPs: anyOf<readonly string[] | undefined>(
      [5, fc.constant(undefined)],
      [3, someOf(EXTERNAL_IPS, [3, 1], [1, 2])],
    ),
    loadBalancerSourceRanges: SOURCE_RANGES,
    sessionAffinity: oneOf([3, undefined], [3, 'None'], [2, 'ClientIP']),
    sessionAffinityConfig: oneOf([2, undefined], [1, null], [2, { clientIP: { timeoutSeconds: 300 } }]),
    externalTrafficPolicy: oneOf([1, undefined], [3, 'Cluster'], [3, 'Local']),
    internalTrafficPolicy: oneOf([3, undefined], [3, 'Cluster'], [2, 'Local']),
    healthCheckNodePort: oneOf([1, 0], [4, ownHealthCheckNodePort(name)], [1, 32_000]),
  })
  return fc
    .tuple(clusterIPs(name), servicePorts(name, type), rest)
    .map(([ips, ports, fields]) => ({ ...fields, ...ips, type, ports }))
}

/** Usually virtual IPs. Entries with `Proxy`, or with only a hostname, are not virtual IPs. */
const INGRESS: fc.Arbitrary<LoadBalancerIngress> = fc.record({
  ip: anyOf<string | undefined>([12, fc.constantFrom(...INGRESS_IPS)], [1, fc.constant(undefined)]),
  ipMode: oneOf([4, undefined], [6, 'VIP'], [1, 'Proxy']),
  hostname: oneOf([5, undefined], [1, 'lb.test']),
})

function ingressOf(type: ServiceType): fc.Arbitrary<readonly LoadBalancerIngress[]> {
  const none = fc.constant<readonly LoadBalancerIngress[]>([])
  const some = fc.array(INGRESS, { minLength: 1, maxLength: 2 })
  // Only the address matters, not the type.
  return type === 'LoadBalancer' ? anyOf([1, none], [9, some]) : anyOf([19, none], [1, some])
}

const LABELS = oneOf<Readonly<Record<string, string>> | undefined>(
  [12, undefined],
  [4, { app: 'x' }],
  [1, { 'service.kubernetes.io/headless': '' }],
  [1, { 'service.kubernetes.io/service-proxy-name': 'other' }],
)

const ANNOTATIONS = oneOf<Readonly<Record<string, string>> | undefined>(
  [2, undefined],
  [1, { 'service.kubernetes.io/topology-mode': 'Auto' }],
)

const TYPES = oneOf<ServiceType>([5, 'ClusterIP'], [5, 'NodePort'], [9, 'LoadBalancer'], [1, 'ExternalName'])

/** Generates a Service with this name. */
export function serviceNamed(name: ObjectName): fc.Arbitrary<Service> {
  return TYPES.chain((type) =>
    fc.record({ labels: LABELS, annotations: ANNOTATIONS, spec: serviceSpec(name, type), ingress: ingressOf(type) }),
  ).map(({ labels, annotations, spec, ingress }) => ({
    metadata: { ...name, labels, annotations },
    spec,
    status: ingress.length > 0 ? { loadBalancer: { ingress } } : null,
  }))
}
