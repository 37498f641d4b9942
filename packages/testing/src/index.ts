import type { EndpointSlice, KubeProxyConfiguration, Node, Service } from '@kube-rules/types'
import fc from 'fast-check'
import { acceptedCluster, acceptedSlices } from './arbitraries/accepted-cluster.js'
import { acceptedService } from './arbitraries/accepted-service.js'
import type { Cluster } from './arbitraries/cluster.js'
import { clusters } from './arbitraries/clusters.js'
import { configurations, type ProxyRelease, understood } from './arbitraries/configurations.js'
import { slicesOf } from './arbitraries/endpoints.js'
import { nodeNamed } from './arbitraries/nodes.js'
import { NODE_NAMES, SERVICE_NAMES } from './arbitraries/object-names.js'
import { serviceNamed } from './arbitraries/services.js'
import { shrinkingBy } from './arbitraries/shrinking.js'
import { simplerConfigurations, simplerServices, simplerSliceLists } from './arbitraries/simpler-objects.js'

export type { Cluster } from './arbitraries/cluster.js'
export type { ProxyRelease } from './arbitraries/configurations.js'
export { anyPacket } from './arbitraries/packets.js'

/** Options of `anyCluster`. */
export interface ClusterOptions extends ProxyRelease {
  /**
   * Whether the API server accepts all objects (default). With `false`, Services also share cluster IPs and node ports,
   * and have fields that their type does not allow. kube-proxy handles such Services.
   */
  readonly accepted?: boolean | undefined
}

/**
 * Generates the objects of a cluster for the node `node-1`: up to five Services of all types with their EndpointSlices.
 * Addresses and names are drawn from few values, so that objects share them.
 *
 * @example
 * ```ts
 * fc.assert(
 *   fc.property(anyCluster({ mode: 'nftables' }), (cluster) => {
 *     const { families } = compile(cluster, { nodeName: 'node-1', mode: 'nftables' })
 *     // …
 *   }),
 * )
 * ```
 */
export function anyCluster(options: ClusterOptions = {}): fc.Arbitrary<Cluster> {
  const drawn = clusters.map((cluster) => ({ ...cluster, configuration: understood(cluster.configuration, options) }))
  return options.accepted === false ? drawn : drawn.map(acceptedCluster)
}

/** Generates a Service that the API server accepts, as it returns it. */
export function anyService(): fc.Arbitrary<Service> {
  return fc
    .constantFrom(...SERVICE_NAMES)
    .chain((name) =>
      shrinkingBy(serviceNamed(name), simplerServices).map((service) => acceptedService(service, name, true)),
    )
}

/**
 * Generates the EndpointSlices of a Service with its families and ports. Endpoints are ready, starting or terminating,
 * on `node-1` or `node-2`, with and without hints.
 */
export function anyEndpointSlices(service: Service): fc.Arbitrary<readonly EndpointSlice[]> {
  const { namespace, name } = service.metadata ?? {}
  const ports = (service.spec?.ports ?? []).map((port) => ({
    name: port.name ?? '',
    protocol: port.protocol ?? 'TCP',
    port: typeof port.targetPort === 'number' ? port.targetPort : port.port,
  }))
  const slices = slicesOf({ namespace: namespace ?? 'default', name: name ?? '' }, ports)
  return shrinkingBy(slices, simplerSliceLists).map((drawn) => acceptedSlices(drawn, [service]))
}

/** Generates a Node with this name. */
export function anyNode(name: string = NODE_NAMES[0]): fc.Arbitrary<Node> {
  return nodeNamed(name)
}

/** Generates a configuration that this mode and version of kube-proxy accept. */
export function anyConfiguration(release: ProxyRelease = {}): fc.Arbitrary<KubeProxyConfiguration> {
  return shrinkingBy(configurations, simplerConfigurations).map((configuration) => understood(configuration, release))
}
