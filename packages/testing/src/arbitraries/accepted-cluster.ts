import type { EndpointSlice, Service, ServiceSpec } from '@kube-rules/types'
import { acceptedService } from './accepted-service.js'
import type { Cluster } from './cluster.js'
import { NODE_1 } from './nodes.js'
import { NODE_NAMES, SERVICE_NAMES } from './object-names.js'

/** Returns the objects of a cluster as the API server and the EndpointSlice controller write them, with `node-1`. */
export function acceptedCluster(cluster: Cluster): Cluster {
  const services = SERVICE_NAMES.flatMap((name) =>
    cluster.services
      .filter(({ metadata }) => metadata?.namespace === name.namespace && metadata.name === name.name)
      .map((service) => ({ service, name })),
  ).map(({ service, name }, index) => acceptedService(service, name, index === 0))
  const hasNode = cluster.nodes.some(({ metadata }) => metadata?.name === NODE_NAMES[0])
  return {
    ...cluster,
    services,
    endpointSlices: acceptedSlices(cluster.endpointSlices, services),
    nodes: hasNode ? cluster.nodes : [NODE_1, ...cluster.nodes],
  }
}

/** Returns the slices with only the families and ports of their Services. Slices without a Service remain as they are. */
export function acceptedSlices(
  slices: readonly EndpointSlice[],
  services: readonly Service[],
): readonly EndpointSlice[] {
  return slices.flatMap((slice) => {
    const service = services.find((each) => isSliceOf(slice, each))
    const families = familiesOf(service?.spec ?? {})
    if (families.length === 0) return [slice]
    if (!families.includes(slice.addressType)) return []
    const names = new Set((service?.spec?.ports ?? []).map(({ name }) => name ?? ''))
    return [{ ...slice, ports: (slice.ports ?? []).filter(({ name }) => names.has(name ?? '')) }]
  })
}

function familiesOf({ ipFamilies, clusterIPs, clusterIP }: ServiceSpec): readonly string[] {
  const addresses = (clusterIPs ?? [clusterIP]).filter((address) => typeof address === 'string')
  return ipFamilies ?? addresses.map((address) => (address.includes(':') ? 'IPv6' : 'IPv4'))
}

function isSliceOf({ metadata }: EndpointSlice, { metadata: service }: Service): boolean {
  return (
    metadata?.namespace === service?.namespace && metadata?.labels?.['kubernetes.io/service-name'] === service?.name
  )
}
