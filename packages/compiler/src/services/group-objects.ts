import type { Diagnostic, EndpointSlice, Endpoints, ObjectReference, Service } from '@kube-rules/types'
import type { Features } from '../configuration/features.js'
import { type EndpointsHead, readEndpointsHead } from '../endpoints/legacy-endpoints.js'
import { readSliceHead, type SliceHead } from '../endpoints/slice-head.js'
import { byObjectKey, objectKey } from '../reading/metadata.js'
import { readService, type ServiceReading } from './read-service.js'

/** The objects a model is made of. */
export interface ModelInput {
  readonly services: Iterable<Service>
  readonly endpointSlices: Iterable<EndpointSlice>
  /** Used only for Services without EndpointSlice. */
  readonly endpoints: Iterable<Endpoints>
}

/** All objects that belong to the Service of one namespace and name, which itself may be missing. */
export interface ServiceGroup {
  /** `namespace/name` of the Service. */
  readonly key: string
  readonly service?: ServiceReading | undefined
  /** In code-unit order of their names, which is the order in which they count. */
  readonly slices: readonly SliceHead[]
  readonly endpoints?: EndpointsHead | undefined
}

/** All objects of a cluster, by Service. */
export interface GroupedObjects {
  /** In code-unit order of `key`. */
  readonly groups: readonly ServiceGroup[]
  /** What there is to say of objects given twice, and of objects that belong to no group. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Puts every object, each namespace and name once, to its Service. */
export function groupObjects(input: ModelInput, features: Features): GroupedObjects {
  const services = lastOfEach(Array.from(input.services, (service) => readService(service, features)))
  const slices = lastOfEach(Array.from(input.endpointSlices, readSliceHead))
  const endpoints = lastOfEach(Array.from(input.endpoints, readEndpointsHead))
  const slicesByService = groupByService(slices.byKey.values())
  const keys = Array.from(services.byKey.keys())
  for (const key of slicesByService.keys()) if (!services.byKey.has(key)) keys.push(key)
  for (const key of endpoints.byKey.keys()) {
    if (!services.byKey.has(key) && !slicesByService.has(key)) keys.push(key)
  }
  return {
    groups: keys.sort().map((key) => ({
      key,
      service: services.byKey.get(key),
      slices: slicesByService.get(key) ?? NO_SLICES,
      endpoints: endpoints.byKey.get(key),
    })),
    diagnostics: [
      ...[services, slices, endpoints].flatMap(looseDiagnostics),
      ...unusedSlices(slices).flatMap((slice) => slice.diagnostics),
    ],
  }
}

const NO_SLICES: readonly SliceHead[] = Object.freeze([])

function groupByService(slices: Iterable<SliceHead>): ReadonlyMap<string, readonly SliceHead[]> {
  const groups = new Map<string, SliceHead[]>()
  for (const slice of slices) {
    if (slice.serviceKey === undefined) continue
    const group = groups.get(slice.serviceKey)
    if (group === undefined) groups.set(slice.serviceKey, [slice])
    else group.push(slice)
  }
  for (const group of groups.values()) if (group.length > 1) group.sort(bySliceName)
  return groups
}

/** The order in which slices of one Service count. */
export function bySliceName({ object: a }: SliceHead, { object: b }: SliceHead): number {
  return a.name < b.name ? -1 : 1
}

function looseDiagnostics(objects: ObjectSet<{ readonly diagnostics: readonly Diagnostic[] }>): readonly Diagnostic[] {
  return [...objects.diagnostics, ...objects.nameless.flatMap((object) => object.diagnostics)]
}

function unusedSlices({ byKey }: ObjectSet<SliceHead>): readonly SliceHead[] {
  const unused: SliceHead[] = []
  for (const slice of byKey.values()) if (slice.serviceKey === undefined) unused.push(slice)
  return unused.sort((a, b) => byObjectKey(a.object, b.object))
}

/** Objects of one kind, each namespace and name once. */
interface ObjectSet<T> {
  /** By `namespace/name`. */
  readonly byKey: ReadonlyMap<string, T>
  /** Those without a name, as given. */
  readonly nameless: readonly T[]
  /** One warning for each object that a later one of the same name replaces, in code-unit order of their names. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Keeps the last object of each namespace and name. */
function lastOfEach<T extends { readonly object: ObjectReference }>(objects: Iterable<T>): ObjectSet<T> {
  const byKey = new Map<string, T>()
  const nameless: T[] = []
  const replaced: ObjectReference[] = []
  for (const item of objects) {
    if (item.object.name === '') {
      nameless.push(item)
      continue
    }
    const { size } = byKey
    if (byKey.set(objectKey(item.object), item).size === size) replaced.push(item.object)
  }
  return { byKey, nameless, diagnostics: replaced.sort(byObjectKey).map(duplicateObject) }
}

function duplicateObject(object: ObjectReference): Diagnostic {
  const message = 'given more than once: the last one counts'
  return { severity: 'warning', code: 'duplicateObject', object, message }
}
