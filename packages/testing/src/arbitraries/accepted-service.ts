import type { IpFamily, LoadBalancerIngress, Service, ServicePortSpec, ServiceSpec } from '@kube-rules/types'
import { numberOf, type ObjectName } from './object-names.js'
import { clusterIPOf, ownHealthCheckNodePort, ownNodePort } from './services.js'

// Services as the API server returns them. The generator also draws Services that it rejects. Mirrors the defaults, the
// allocation and the validation of Kubernetes v1.34 (`SetDefaults_Service`, `ValidateService`).

/**
 * Returns the Service with all fields that the API server sets, and without the fields that it rejects. Only the first
 * Service of a cluster keeps an address or a port that several Services can draw. Other Services get unique values.
 */
export function acceptedService(service: Service, name: ObjectName, isFirst: boolean): Service {
  const spec = service.spec ?? {}
  if (spec.type === 'ExternalName') return { ...service, spec: externalNameSpec(spec), status: { loadBalancer: {} } }
  const { type = 'ClusterIP', externalIPs, loadBalancerSourceRanges, sessionAffinity = 'None' } = spec
  const isReachedFromOutside = type !== 'ClusterIP' || (externalIPs?.length ?? 0) > 0
  const externalTrafficPolicy = isReachedFromOutside ? (spec.externalTrafficPolicy ?? 'Cluster') : undefined
  const isLoadBalancer = type === 'LoadBalancer'
  const ports = acceptedPorts(spec, name, isFirst)
  return {
    ...service,
    spec: {
      ...{ type, externalIPs, sessionAffinity, externalTrafficPolicy, ports },
      ...acceptedAddresses(spec, name, isFirst),
      internalTrafficPolicy: spec.internalTrafficPolicy ?? 'Cluster',
      ...(sessionAffinity === 'ClientIP' && { sessionAffinityConfig: affinityConfig(spec) }),
      ...(isLoadBalancer && { loadBalancerSourceRanges, allocateLoadBalancerNodePorts: ports.every(hasNodePort) }),
      ...(isLoadBalancer && externalTrafficPolicy === 'Local' && healthCheck(spec, name, isFirst)),
    },
    status: { loadBalancer: isLoadBalancer ? { ingress: acceptedIngress(service) } : {} },
  }
}

function externalNameSpec({ sessionAffinity = 'None' }: ServiceSpec): ServiceSpec {
  return { type: 'ExternalName', externalName: 'shop.example.com', sessionAffinity }
}

/** Several ports need names, and the generator draws one port without a name. */
function acceptedPorts(spec: ServiceSpec, name: ObjectName, isFirst: boolean): readonly ServicePortSpec[] {
  const drawn = spec.ports ?? []
  const ports = drawn.length > 1 ? drawn.filter((port) => port.name !== undefined) : drawn
  return ports.map((port, index) => ({ ...port, nodePort: acceptedNodePort(port, spec, name, isFirst && index === 0) }))
}

function acceptedNodePort(
  port: ServicePortSpec,
  { type }: ServiceSpec,
  name: ObjectName,
  keepsDrawn: boolean,
): number | undefined {
  const isOptional = type === 'LoadBalancer'
  if (type === 'ClusterIP' || (isOptional && !hasNodePort(port))) return undefined
  return keepsDrawn && port.nodePort ? port.nodePort : ownNodePort(name, port)
}

function hasNodePort({ nodePort }: ServicePortSpec): boolean {
  return Boolean(nodePort)
}

function acceptedAddresses(spec: ServiceSpec, name: ObjectName, isFirst: boolean): ServiceSpec {
  const ipFamilies = (spec.ipFamilies ?? ['IPv4']) as readonly IpFamily[]
  const ipFamilyPolicy = ipFamilies.length > 1 ? 'RequireDualStack' : 'SingleStack'
  const drawn = (spec.clusterIPs ?? [spec.clusterIP]).filter((address) => typeof address === 'string')
  const isHeadless = spec.type === 'ClusterIP' && spec.clusterIP === 'None'
  const keepsDrawn = isFirst && drawn.length > 0 && spec.clusterIP !== 'None'
  const own = keepsDrawn ? drawn : ipFamilies.map((family) => clusterIPOf(family, numberOf(name)))
  const clusterIPs = isHeadless ? ['None'] : own
  return { clusterIP: clusterIPs[0], clusterIPs, ipFamilies, ipFamilyPolicy }
}

function affinityConfig({ sessionAffinityConfig }: ServiceSpec): ServiceSpec['sessionAffinityConfig'] {
  return sessionAffinityConfig ?? { clientIP: { timeoutSeconds: 10_800 } }
}

function healthCheck({ healthCheckNodePort }: ServiceSpec, name: ObjectName, isFirst: boolean): ServiceSpec {
  const isKept = isFirst && Boolean(healthCheckNodePort)
  return { healthCheckNodePort: isKept ? healthCheckNodePort : ownHealthCheckNodePort(name) }
}

/** An address has a mode only if it has an IP, and it has an IP or a host name. */
function acceptedIngress({ status }: Service): readonly LoadBalancerIngress[] {
  const drawn = status?.loadBalancer?.ingress ?? []
  return drawn.flatMap(({ ip, ipMode, hostname }): readonly LoadBalancerIngress[] => {
    if (ip !== undefined) return [{ ip, ipMode: ipMode ?? 'VIP', hostname }]
    return hostname === undefined ? [] : [{ hostname }]
  })
}
