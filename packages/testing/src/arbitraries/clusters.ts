import type { EndpointSlice, Endpoints, Service } from '@kube-rules/types'
import fc from 'fast-check'
import type { Cluster } from './cluster.js'
import { configurations } from './configurations.js'
import { endpointsNamed, slicesOf } from './endpoints.js'
import { hosts, nodeLists, serviceCIDRLists } from './nodes.js'
import { OBJECT_NAMES, type ObjectName } from './object-names.js'
import { serviceNamed } from './services.js'
import { shrinkingBy } from './shrinking.js'
import { simplerClusters } from './simpler-objects.js'
import { anyOf } from './weighted.js'

// Generates inputs of `compile` from few names and addresses. Services share addresses, slices share endpoints, and
// names are prefixes of one another. `properties/clusters.test.ts` of the compiler checks the frequency of each property.

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

const drawn: fc.Arbitrary<Cluster> = fc
  .record({ objects, nodes: nodeLists, serviceCIDRs: serviceCIDRLists, configuration: configurations, host: hosts })
  .map(({ objects: lists, ...rest }) => ({ ...lists, ...rest }))

/** Generates clusters for the newest version; `understood` converts their configuration for an older version. */
export const clusters: fc.Arbitrary<Cluster> = shrinkingBy(drawn, simplerClusters)
