import type {
  EndpointSlice,
  Endpoints,
  HostFacts,
  KubeProxyConfiguration,
  Node,
  Service,
  ServiceCIDR,
} from '@kube-rules/types'
import fc from 'fast-check'
import type { CompileOptions } from '../../src/compilation/compile-result.js'
import type { ProxyMode } from '../../src/targets/modes.js'
import { endpointsNamed, slicesOf } from './generators/endpoints.js'
import {
  compileOptions,
  configurations,
  hosts,
  nodeLists,
  optionsOfMode,
  serviceCIDRLists,
  understood,
  understoodHost,
} from './generators/nodes.js'
import { OBJECT_NAMES, type ObjectName } from './generators/object-names.js'
import { serviceNamed } from './generators/services.js'
import { anyOf } from './generators/weighted.js'

// Generates inputs of `compile` from few names and addresses. Services share addresses, slices share endpoints, and
// names are prefixes of one another. `properties/clusters.test.ts` checks the frequency of each property.

export { compileOptions, hosts, optionsOfMode }

/** An input of `compile` with arrays as lists; no two objects of one kind have the same name. */
export interface Cluster {
  readonly services: readonly Service[]
  readonly endpointSlices: readonly EndpointSlice[]
  readonly endpoints: readonly Endpoints[]
  readonly nodes: readonly Node[]
  readonly serviceCIDRs: readonly ServiceCIDR[]
  readonly configuration: KubeProxyConfiguration
  readonly host: HostFacts | undefined
}

export interface Case {
  readonly cluster: Cluster
  readonly options: CompileOptions & { readonly mode: ProxyMode }
}

/** The Service of a name, and its slices. */
interface NamedObjects {
  readonly services: readonly Service[]
  readonly endpointSlices: readonly EndpointSlice[]
  readonly endpoints: readonly Endpoints[]
}

/** Generates a Service, usually with its slices. A Service without slices, or slices without a Service, are rare. */
function objectsNamed(name: ObjectName): fc.Arbitrary<NamedObjects> {
  const nothing = fc.constant([])
  const services = fc.tuple(serviceNamed(name))
  const endpointSlices = slicesOf(name)
  const endpoints = fc.tuple(endpointsNamed(name))
  return anyOf<NamedObjects>(
    [8, fc.record({ services: nothing, endpointSlices: nothing, endpoints: nothing })],
    [15, fc.record({ services, endpointSlices, endpoints: nothing })],
    [2, fc.record({ services, endpointSlices: nothing, endpoints })],
    [1, fc.record({ services, endpointSlices, endpoints })],
    [1, fc.record({ services, endpointSlices: nothing, endpoints: nothing })],
    [1, fc.record({ services: nothing, endpointSlices, endpoints })],
  )
}

const objects: fc.Arbitrary<NamedObjects> = anyOf<readonly NamedObjects[]>(
  [1, fc.constant([])],
  [40, fc.tuple(...OBJECT_NAMES.map(objectsNamed))],
).map((lists) => ({
  services: lists.flatMap(({ services }) => services),
  endpointSlices: lists.flatMap(({ endpointSlices }) => endpointSlices),
  endpoints: lists.flatMap(({ endpoints }) => endpoints),
}))

/** Generates clusters for the newest version; `understoodCluster` converts them for an older version. */
export const clusters: fc.Arbitrary<Cluster> = fc
  .record({ objects, nodes: nodeLists, serviceCIDRs: serviceCIDRLists, configuration: configurations, host: hosts })
  .map(({ objects: lists, ...rest }) => ({ ...lists, ...rest }))

/** Generates a valid input, and the options to compile it with. */
export const cases: fc.Arbitrary<Case> = fc
  .record({ cluster: clusters, options: compileOptions })
  .map(({ cluster, options }) => ({ cluster: understoodCluster(cluster, options), options }))

/** Adapts the configuration of a cluster to the kube-proxy version in `options`. */
export function understoodCluster(cluster: Cluster, options: CompileOptions): Cluster {
  const host = understoodHost(cluster.host, options)
  return { ...cluster, configuration: understood(cluster.configuration, options), host }
}
