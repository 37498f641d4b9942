import { IP_FAMILIES, type IpFamily, parseIp } from '../ip.js'
import type { Service, ServicePortSpec } from '../kubernetes/service.js'
import { allocateFromPool } from './allocate-from-pool.js'
import type { AssumedValue } from './assumed-value.js'
import { getFieldAt, getStringAt } from './manifest-objects.js'
import {
  ASSUMED_CLUSTER_IP_RANGES,
  ASSUMED_LOAD_BALANCER_IP_RANGES,
  createAddressPool,
  NODE_PORT_POOL,
} from './pools.js'

/** The allocated addresses and node ports, by the keys of the needed values (see `needsOf`). */
export interface ServiceAllocations {
  readonly clusterIPs: Readonly<Record<IpFamily, ReadonlyMap<string, string>>>
  readonly loadBalancerIPs: Readonly<Record<IpFamily, ReadonlyMap<string, string>>>
  readonly nodePorts: ReadonlyMap<string, string>
}

/**
 * Allocates the missing cluster IPs, load-balancer IPs and node ports of the given Services. Values that the input
 * already uses are not allocated again.
 */
export function allocateForServices(services: readonly Service[]): ServiceAllocations {
  const needs = services.map(needsOf)
  const takenIPs = new Set(services.flatMap(addressesIn))
  const takenPorts = new Set(services.flatMap(nodePortsIn))
  const allocated = (name: string, networks: Readonly<Record<IpFamily, string>>, has: (need: Needs) => boolean) => {
    const of = (family: IpFamily) => {
      const keys = needs.filter((need) => has(need) && need.families.includes(family)).map(({ key }) => key)
      return allocateFromPool(keys, createAddressPool(name, networks, family), takenIPs)
    }
    return { IPv4: of('IPv4'), IPv6: of('IPv6') }
  }
  return {
    clusterIPs: allocated('cluster IPs', ASSUMED_CLUSTER_IP_RANGES, ({ clusterIP }) => clusterIP),
    loadBalancerIPs: allocated(
      'load-balancer IPs',
      ASSUMED_LOAD_BALANCER_IP_RANGES,
      ({ loadBalancerIP }) => loadBalancerIP,
    ),
    nodePorts: allocateFromPool(
      needs.flatMap(({ nodePorts }) => nodePorts),
      NODE_PORT_POOL,
      takenPorts,
    ),
  }
}

/** Reports whether an API server would assign a cluster IP to the Service. */
export function needsClusterIP({ spec }: Service): boolean {
  return spec !== undefined && spec !== null && !spec.clusterIP && spec.type !== 'ExternalName'
}

/**
 * Returns the families of a Service, which are the families of its cluster IPs. For a Service without cluster IPs,
 * returns the families that a dual-stack cluster with IPv4 as its first family would assign.
 */
export function ipFamiliesOf({ spec }: Service): readonly IpFamily[] {
  const ofAddresses = [...(spec?.clusterIPs ?? []), spec?.clusterIP].flatMap(
    (text) => parseIp(text ?? '')?.family ?? [],
  )
  if (ofAddresses.length > 0) return [...new Set(ofAddresses)]
  const specified = IP_FAMILIES.filter((family) => spec?.ipFamilies?.includes(family))
  const first = spec?.ipFamilies?.[0] === 'IPv6' ? 'IPv6' : 'IPv4'
  const policy = getFieldAt(spec, 'ipFamilyPolicy')
  const isDual = specified.length > 1 || policy === 'PreferDualStack' || policy === 'RequireDualStack'
  return isDual ? [first, ...IP_FAMILIES.filter((family) => family !== first)] : [first]
}

export function namespacedNameOf({ metadata }: Service): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`
}

interface Needs {
  readonly key: string
  readonly families: readonly IpFamily[]
  readonly clusterIP: boolean
  readonly loadBalancerIP: boolean
  /** The keys of the node ports to allocate. */
  readonly nodePorts: readonly string[]
}

function needsOf(service: Service): Needs {
  const { spec } = service
  const key = namespacedNameOf(service)
  const isExposed = spec?.clusterIP !== 'None' && (spec?.type === 'NodePort' || spec?.type === 'LoadBalancer')
  const isBalanced = isExposed && spec?.type === 'LoadBalancer'
  const hasNodePorts = isExposed && getFieldAt(spec, 'allocateLoadBalancerNodePorts') !== false
  const ports = hasNodePorts ? (spec?.ports ?? []).filter((port) => !port.nodePort) : []
  const hasHealthChecks = isBalanced && spec?.externalTrafficPolicy === 'Local' && !spec.healthCheckNodePort
  return {
    key,
    families: ipFamiliesOf(service),
    clusterIP: needsClusterIP(service),
    loadBalancerIP: isBalanced && (service.status?.loadBalancer?.ingress ?? []).length === 0 && !requestedIP(service),
    nodePorts: [...ports.map((port) => portKey(key, port)), ...(hasHealthChecks ? [healthCheckKey(key)] : [])],
  }
}

/** Returns the address that a Service requests from its load balancer in the deprecated field `loadBalancerIP`. */
function requestedIP(service: Service): string | undefined {
  return parseIp(getStringAt(service, 'spec', 'loadBalancerIP') ?? '')?.text
}

function portKey(key: string, { protocol, port }: ServicePortSpec): string {
  return [key, port, protocol || 'TCP'].join('/')
}

function healthCheckKey(key: string): string {
  return `${key} health checks`
}

function addressesIn({ spec, status }: Service): readonly string[] {
  const ingress = (status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip)
  const texts = [spec?.clusterIP, ...(spec?.clusterIPs ?? []), ...(spec?.externalIPs ?? []), ...ingress]
  return texts.flatMap((text) => parseIp(text ?? '')?.text ?? [])
}

function nodePortsIn({ spec }: Service): readonly string[] {
  const ports = [spec?.healthCheckNodePort, ...(spec?.ports ?? []).map(({ nodePort }) => nodePort)]
  return ports.flatMap((port) => (port ? [String(port)] : []))
}

/** A Service with its missing fields filled in. If no field is missing, this is the same Service object. */
export interface AssumedService {
  readonly service: Service
  readonly assumed: readonly AssumedValue[]
}

/** Adds the missing values to a Service. */
export function assumeService(service: Service, numbers: ServiceAllocations): AssumedService {
  const needs = needsOf(service)
  const parts = [clusterIPsOf(needs, numbers), portsOf(service, needs, numbers), statusOf(service, needs, numbers)]
  const assumedParts = parts.filter(({ assumed }) => assumed.length > 0)
  if (assumedParts.length === 0) return { service, assumed: [] }
  const { metadata } = service
  const object = { kind: 'Service', namespace: metadata?.namespace ?? undefined, name: metadata?.name ?? '' }
  return {
    service: {
      ...service,
      spec: Object.assign({}, service.spec, ...assumedParts.map(({ spec }) => spec)),
      ...(Object.assign({}, ...assumedParts.map(({ status }) => (status === undefined ? {} : { status }))) as object),
    },
    assumed: assumedParts.flatMap(({ assumed }) => assumed.map((each) => ({ object, ...each }))),
  }
}

/** Fields to set in a Service. */
interface Fields {
  readonly spec?: object | undefined
  readonly status?: object | undefined
  readonly assumed: readonly Omit<AssumedValue, 'object'>[]
}

function clusterIPsOf({ key, families, clusterIP }: Needs, { clusterIPs: byFamily }: ServiceAllocations): Fields {
  if (!clusterIP) return { assumed: [] }
  const clusterIPs = families.flatMap((family) => byFamily[family].get(key) ?? [])
  return {
    spec: { clusterIP: clusterIPs[0], clusterIPs, ipFamilies: families },
    assumed: clusterIPs.map((value) => ({ kind: 'clusterIP', path: 'spec.clusterIPs', value })),
  }
}

function portsOf({ spec }: Service, { key, nodePorts: needed }: Needs, { nodePorts }: ServiceAllocations): Fields {
  if (needed.length === 0) return { assumed: [] }
  const available = new Set(needed)
  const numberOf = (portOrCheck: string) => Number(nodePorts.get(portOrCheck))
  const wants = (port: ServicePortSpec) => !port.nodePort && available.has(portKey(key, port))
  const ports = (spec?.ports ?? []).map((port) =>
    wants(port) ? { ...port, nodePort: numberOf(portKey(key, port)) } : port,
  )
  const check = available.has(healthCheckKey(key)) ? numberOf(healthCheckKey(key)) : undefined
  const assumedPorts = (spec?.ports ?? []).flatMap((port, index) =>
    wants(port) ? [{ path: `spec.ports[${index}].nodePort`, value: String(numberOf(portKey(key, port))) }] : [],
  )
  return {
    spec: { ports, ...(check === undefined ? {} : { healthCheckNodePort: check }) },
    assumed: [
      ...assumedPorts.map((each) => ({ kind: 'nodePort' as const, ...each })),
      ...(check === undefined
        ? []
        : [{ kind: 'healthCheckNodePort' as const, path: 'spec.healthCheckNodePort', value: String(check) }]),
    ],
  }
}

function statusOf(service: Service, needs: Needs, { loadBalancerIPs }: ServiceAllocations): Fields {
  const requested = service.spec?.type === 'LoadBalancer' && isPending(service) ? requestedIP(service) : undefined
  const allocated = needs.families.flatMap((family) => loadBalancerIPs[family].get(needs.key) ?? [])
  const addresses = requested !== undefined ? [requested] : needs.loadBalancerIP ? allocated : []
  if (addresses.length === 0) return { assumed: [] }
  return {
    status: { loadBalancer: { ingress: addresses.map((ip) => ({ ip })) } },
    assumed: addresses.map((value) => ({ kind: 'loadBalancerIP', path: 'status.loadBalancer.ingress', value })),
  }
}

function isPending({ status }: Service): boolean {
  return (status?.loadBalancer?.ingress ?? []).length === 0
}
