import type { Service, ServicePortSpec } from '@kube-rules/types'

// The validation of Services by the API server, written from the rules of Kubernetes v1.34 (`ValidateService`), and the
// allocation of addresses and ports that several Services cannot share.

type Spec = NonNullable<Service['spec']>

const LABEL = /^[a-z][-a-z0-9]{0,61}[a-z0-9]$|^[a-z]$/

/** Returns the reasons why the API server rejects a Service, or does not return it like this. */
export function rejectionsOf({ metadata, spec, status }: Service): readonly string[] {
  const { type, ports = [], clusterIPs } = spec ?? {}
  return [
    ...when(!LABEL.test(metadata?.name ?? ''), 'metadata.name: not a DNS label'),
    ...when(!TYPES.has(type ?? ''), 'spec.type: unknown'),
    ...(type === 'ExternalName' ? externalName(spec ?? {}) : internal(spec ?? {})),
    ...portRejections(ports ?? [], type),
    ...when(clusterIPs?.[0] === 'None' && type !== 'ClusterIP', 'spec.clusterIPs: may not be None'),
    ...ingressRejections(status?.loadBalancer?.ingress ?? [], type),
  ]
}

const TYPES = new Set(['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'])

function when(isRejected: boolean, reason: string): readonly string[] {
  return isRejected ? [reason] : []
}

function externalName({ externalName: name, clusterIP, clusterIPs, ipFamilies }: Spec): readonly string[] {
  return [
    ...when(!name, 'spec.externalName: required'),
    ...when(Boolean(clusterIP) || (clusterIPs?.length ?? 0) > 0, 'spec.clusterIPs: may not be set'),
    ...when((ipFamilies?.length ?? 0) > 0, 'spec.ipFamilies: may not be set'),
  ]
}

function internal(spec: Spec): readonly string[] {
  const { type, clusterIP, clusterIPs = [], ipFamilies = [], externalIPs, externalTrafficPolicy: policy } = spec
  const isExternal = type !== 'ClusterIP' || (externalIPs?.length ?? 0) > 0
  const needsHealthCheck = type === 'LoadBalancer' && policy === 'Local'
  const { sessionAffinity, sessionAffinityConfig: affinity } = spec
  const isSticky = sessionAffinity === 'ClientIP'
  const timeout = affinity?.clientIP?.timeoutSeconds ?? 0
  return [
    ...when(clusterIP !== clusterIPs?.[0], 'spec.clusterIPs[0]: must be clusterIP'),
    ...when(clusterIPs?.length === 0 || ipFamilies?.length === 0, 'spec.clusterIPs, spec.ipFamilies: required'),
    ...(clusterIPs ?? []).flatMap((address, index) => familyRejection(address, ipFamilies?.[index])),
    ...when((spec.ports?.length ?? 0) === 0, 'spec.ports: required'),
    ...when(!isExternal && policy !== undefined, 'spec.externalTrafficPolicy: may only be set for external traffic'),
    ...when(isExternal && policy !== 'Local' && policy !== 'Cluster', 'spec.externalTrafficPolicy: required'),
    ...when(!['Local', 'Cluster'].includes(spec.internalTrafficPolicy ?? ''), 'spec.internalTrafficPolicy: required'),
    ...when(needsHealthCheck !== Boolean(spec.healthCheckNodePort), 'spec.healthCheckNodePort'),
    ...when(type !== 'LoadBalancer' && Boolean(spec.loadBalancerSourceRanges?.length), 'spec.loadBalancerSourceRanges'),
    ...when(!isSticky && affinity !== undefined, 'spec.sessionAffinityConfig: only with ClientIP'),
    ...when(isSticky && (timeout < 1 || timeout > 86_400), 'spec.sessionAffinityConfig: timeoutSeconds'),
  ]
}

function familyRejection(address: string, family: string | undefined): readonly string[] {
  if (address === 'None') return []
  return when((address.includes(':') ? 'IPv6' : 'IPv4') !== family, `spec.clusterIPs: ${address} is not of ${family}`)
}

function portRejections(ports: readonly ServicePortSpec[], type: string | null | undefined): readonly string[] {
  const names = ports.map(({ name }) => name ?? '')
  const keys = ports.map(({ protocol, port }) => `${protocol ?? 'TCP'} ${port}`)
  const nodePorts = ports.flatMap(({ protocol, nodePort }) => (nodePort ? [`${protocol ?? 'TCP'} ${nodePort}`] : []))
  return [
    ...when(ports.length > 1 && names.includes(''), 'spec.ports: names are required'),
    ...[names, keys, nodePorts].flatMap((list) => when(new Set(list).size < list.length, 'spec.ports: duplicate')),
    ...when(type === 'NodePort' && nodePorts.length < ports.length, 'spec.ports: no node port is allocated'),
    ...when(!['NodePort', 'LoadBalancer'].includes(type ?? '') && nodePorts.length > 0, 'spec.ports: node port'),
    ...when(
      ports.some(({ nodePort }) => nodePort && (nodePort < 30_000 || nodePort > 32_767)),
      'spec.ports: node port out of range',
    ),
  ]
}

type Ingress = NonNullable<NonNullable<NonNullable<Service['status']>['loadBalancer']>['ingress']>

function ingressRejections(ingress: Ingress, type: string | null | undefined): readonly string[] {
  return [
    ...when(type !== 'LoadBalancer' && ingress.length > 0, 'status.loadBalancer: only for type LoadBalancer'),
    ...ingress.flatMap(({ ip, ipMode }) => when(!ip && ipMode !== undefined, 'status.loadBalancer: ipMode without ip')),
  ]
}

/** Returns the cluster IPs and node ports that several Services have. */
export function sharedValuesOf(services: readonly Service[]): readonly string[] {
  const values = services.flatMap(({ spec }) => [
    ...new Set([
      ...(spec?.clusterIPs ?? []).filter((address) => address !== 'None'),
      ...(spec?.ports ?? []).flatMap(({ nodePort }) => (nodePort ? `node port ${nodePort}` : [])),
      ...(spec?.healthCheckNodePort ? [`node port ${spec.healthCheckNodePort}`] : []),
    ]),
  ])
  return values.filter((value, index) => values.indexOf(value) < index)
}
