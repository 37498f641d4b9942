import type { EndpointSlice, KubeProxyConfiguration, Service, SliceEndpoint } from '@kube-rules/types'
import type { Cluster } from './cluster.js'
import { NODE_NAMES } from './object-names.js'
import { shorterLists, simplerItems, withoutFields } from './shrinking.js'

// Objects shrink to objects without an item of a list, or without a field.

/** Returns clusters without an object, or with a simpler object. */
export function* simplerClusters(cluster: Cluster): Generator<Cluster> {
  const { services, endpointSlices, endpoints, serviceCIDRs, nodes, configuration, host } = cluster
  const others = nodes.filter(({ metadata }) => metadata?.name !== NODE_NAMES[0])
  if (others.length > 0 && others.length < nodes.length)
    yield { ...cluster, nodes: nodes.filter((each) => !others.includes(each)) }
  for (const list of shorterLists(services)) yield { ...cluster, services: list }
  for (const list of shorterLists(endpointSlices)) yield { ...cluster, endpointSlices: list }
  for (const list of shorterLists(endpoints)) yield { ...cluster, endpoints: list }
  for (const list of shorterLists(serviceCIDRs)) yield { ...cluster, serviceCIDRs: list }
  if (host !== undefined) yield { ...cluster, host: undefined }
  for (const simpler of simplerConfigurations(configuration)) yield { ...cluster, configuration: simpler }
  for (const list of simplerItems(services, simplerServices)) yield { ...cluster, services: list }
  for (const list of simplerItems(endpointSlices, simplerSlices)) yield { ...cluster, endpointSlices: list }
}

/** Returns Services without a field, a port or an address of the load balancer. */
export function* simplerServices(service: Service): Generator<Service> {
  const { metadata, spec, status } = service
  if (status?.loadBalancer?.ingress !== undefined) yield { ...service, status: null }
  for (const simpler of withoutFields(metadata ?? {}, 'namespace', 'name')) yield { ...service, metadata: simpler }
  for (const simpler of withoutFields(spec ?? {}, 'ports', 'clusterIP', 'clusterIPs', 'ipFamilies')) {
    yield { ...service, spec: simpler }
  }
  for (const ports of shorterLists(spec?.ports ?? [])) {
    if (ports.length > 0) yield { ...service, spec: { ...spec, ports } }
  }
  const [clusterIP] = spec?.clusterIPs ?? []
  if (spec?.clusterIPs?.[1] !== undefined) {
    const ipFamilies = spec.ipFamilies?.slice(0, 1)
    yield { ...service, spec: { ...spec, clusterIP, clusterIPs: spec.clusterIPs.slice(0, 1), ipFamilies } }
  }
}

/** Returns lists without a slice or an endpoint, or with a simpler endpoint. */
export function* simplerSliceLists(slices: readonly EndpointSlice[]): Generator<readonly EndpointSlice[]> {
  yield* shorterLists(slices)
  yield* simplerItems(slices, simplerSlices)
}

function* simplerSlices(slice: EndpointSlice): Generator<EndpointSlice> {
  const endpoints = slice.endpoints ?? []
  for (const list of shorterLists(endpoints)) yield { ...slice, endpoints: list }
  for (const list of simplerItems(endpoints, simplerEndpoints)) yield { ...slice, endpoints: list }
}

function* simplerEndpoints(endpoint: SliceEndpoint): Generator<SliceEndpoint> {
  const { addresses, conditions, hints } = endpoint
  if (hints !== undefined) yield { ...endpoint, hints: undefined }
  if (addresses.length > 1) yield { ...endpoint, addresses: addresses.slice(0, 1) }
  if (conditions?.ready !== true || Object.keys(conditions).length > 1)
    yield { ...endpoint, conditions: { ready: true } }
}

/** Returns configurations without a setting. */
export function* simplerConfigurations(configuration: KubeProxyConfiguration): Generator<KubeProxyConfiguration> {
  // The detection of local traffic has two settings that depend on each other.
  const { detectLocal, detectLocalMode, ...others } = configuration
  if (detectLocal !== undefined || detectLocalMode !== undefined) yield others
  yield* withoutFields(configuration, 'detectLocal', 'detectLocalMode')
}
