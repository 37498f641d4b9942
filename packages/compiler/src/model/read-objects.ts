import type { EndpointSlice, Endpoints, Service } from '@kube-rules/types'
import type { Features } from './features.js'
import { lastOfEach, type ObjectSet } from './last-of-each.js'
import { type EndpointsHead, readEndpointsHead } from './legacy-endpoints.js'
import { readService, type ServiceReading } from './service-facts.js'
import { readSliceHead, type SliceHead } from './slice-head.js'

/** The objects a model is made of. */
export interface ModelInput {
  readonly services: Iterable<Service>
  readonly endpointSlices: Iterable<EndpointSlice>
  /** Used only for Services without EndpointSlice. */
  readonly endpoints: Iterable<Endpoints>
}

/** The objects of a cluster, each once, and which slices belong to which Service. */
export interface ModelObjects {
  readonly services: ObjectSet<ServiceReading>
  readonly slices: ObjectSet<SliceHead>
  readonly endpoints: ObjectSet<EndpointsHead>
  /** By `namespace/name` of the Service, in code-unit order of the slices' names. */
  readonly slicesByService: ReadonlyMap<string, readonly SliceHead[]>
}

export function readObjects(input: ModelInput, features: Features): ModelObjects {
  const slices = lastOfEach(Array.from(input.endpointSlices, readSliceHead))
  return {
    services: lastOfEach(Array.from(input.services, (service) => readService(service, features))),
    slices,
    endpoints: lastOfEach(Array.from(input.endpoints, readEndpointsHead)),
    slicesByService: groupByService(slices.sorted),
  }
}

function groupByService(slices: readonly SliceHead[]): ReadonlyMap<string, readonly SliceHead[]> {
  const groups = new Map<string, SliceHead[]>()
  for (const slice of slices) {
    if (slice.serviceKey === undefined) continue
    const group = groups.get(slice.serviceKey)
    if (group === undefined) groups.set(slice.serviceKey, [slice])
    else group.push(slice)
  }
  return groups
}
