import type { Diagnostic, Service } from '@kube-rules/types'
import { compact } from '../../internal/compact.js'
import { NO_ITEMS } from '../../internal/items-by-key.js'
import { mapList } from '../../internal/map-list.js'
import type { Features } from '../configuration/features.js'
import { type EndpointsHead, readEndpointsHead } from '../endpoints/legacy-endpoints.js'
import { readSliceHead, type SliceHead } from '../endpoints/slice-head.js'
import type { ObjectChanges } from '../reading/object-changes.js'
import { exchangeObjects, type NamedObjects, namedDiagnostics, type ReadingChange } from './named-objects.js'
import { readService, type ServiceReading } from './read-service.js'

/** All objects that belong to the Service of one namespace and name, which itself may be missing. */
export interface ServiceGroup {
  /** `namespace/name` of the Service. */
  readonly key: string
  readonly service?: ServiceReading | undefined
  /** In code-unit order of their names, which is the order in which they count. */
  readonly slices: readonly SliceHead[]
  readonly endpoints?: EndpointsHead | undefined
}

/** All objects of a cluster, read, each namespace and name once. */
export interface ClusterObjects {
  readonly services: NamedObjects<ServiceReading>
  readonly slices: NamedObjects<SliceHead>
  readonly endpoints: NamedObjects<EndpointsHead>
  /** Slices that belong to no Service and of which there is something to say, by `namespace/name`. */
  readonly unusedSlices: ReadonlyMap<string, SliceHead>
}

export const EMPTY_CLUSTER: ClusterObjects = {
  services: NO_ITEMS,
  slices: NO_ITEMS,
  endpoints: NO_ITEMS,
  unusedSlices: new Map(),
}

/** The objects after a change, and the groups it has touched. */
export interface GroupedObjects {
  readonly objects: ClusterObjects
  /** In code-unit order of `key`. One without objects is gone. */
  readonly groups: readonly ServiceGroup[]
}

/**
 * Puts objects that come to their Services, and takes those that go away from theirs. `groupAt` gives a group as it was
 * before.
 */
export function regroup(
  before: ClusterObjects,
  changes: ObjectChanges,
  groupAt: (key: string) => ServiceGroup | undefined,
  features: Features,
): GroupedObjects {
  const drafts = new Map<string, Draft>()
  const draftOf = (key: string): Draft => {
    const known = drafts.get(key)
    if (known !== undefined) return known
    const draft = draftOfGroup(key, groupAt(key))
    drafts.set(key, draft)
    return draft
  }
  const readServiceOf = (service: Service) => readService(service, features)
  const services = exchangeObjects(before.services, changes.services, readServiceOf, ({ key, after }) => {
    draftOf(key).service = after
  })
  const unused: ReadingChange<SliceHead>[] = []
  const slices = exchangeObjects(before.slices, changes.endpointSlices, readSliceHead, (change) => {
    exchangeSlice(change, draftOf)
    if (isUnused(change.before) || isUnused(change.after)) unused.push(change)
  })
  const endpoints = exchangeObjects(before.endpoints, changes.endpoints, readEndpointsHead, ({ key, after }) => {
    draftOf(key).endpoints = after
  })
  const keys = Array.from(drafts.keys()).sort()
  return {
    objects: { services, slices, endpoints, unusedSlices: unusedAfter(before.unusedSlices, unused) },
    groups: mapList(keys, (key) => groupOf(drafts.get(key) as Draft)),
  }
}

export function isEmptyGroup({ service, slices, endpoints }: ServiceGroup): boolean {
  return service === undefined && slices.length === 0 && endpoints === undefined
}

/** What there is to say of objects given twice, and of objects that belong to no group. */
export function looseDiagnostics({ services, slices, endpoints, unusedSlices }: ClusterObjects): readonly Diagnostic[] {
  return [
    ...namedDiagnostics('Service', services),
    ...namedDiagnostics('EndpointSlice', slices),
    ...namedDiagnostics('Endpoints', endpoints),
    ...Array.from(unusedSlices.keys())
      .sort()
      .flatMap((key) => unusedSlices.get(key)?.diagnostics ?? []),
  ]
}

/** A group in the making. */
interface Draft {
  readonly key: string
  service: ServiceReading | undefined
  slices: SliceHead[]
  endpoints: EndpointsHead | undefined
}

function draftOfGroup(key: string, group: ServiceGroup | undefined): Draft {
  return { key, service: group?.service, slices: [...(group?.slices ?? [])], endpoints: group?.endpoints }
}

function groupOf({ key, service, slices, endpoints }: Draft): ServiceGroup {
  return { key, service, slices: compact(slices.length > 1 ? slices.sort(bySliceName) : slices), endpoints }
}

function exchangeSlice({ before, after }: ReadingChange<SliceHead>, draftOf: (key: string) => Draft): void {
  if (before?.serviceKey !== undefined) {
    const draft = draftOf(before.serviceKey)
    draft.slices = draft.slices.filter((slice) => slice !== before)
  }
  if (after?.serviceKey === undefined) return
  const draft = draftOf(after.serviceKey)
  // A list that was appended to has room for 16 more, and most groups have one slice.
  if (draft.slices.length === 0) draft.slices = [after]
  else draft.slices.push(after)
}

/** The order in which slices of one Service, which are of one namespace, count. */
function bySliceName({ key: a }: SliceHead, { key: b }: SliceHead): number {
  return a < b ? -1 : 1
}

function unusedAfter(
  before: ReadonlyMap<string, SliceHead>,
  changes: readonly ReadingChange<SliceHead>[],
): ReadonlyMap<string, SliceHead> {
  if (changes.length === 0) return before
  const unused = new Map(before)
  for (const { key, after } of changes) {
    if (after !== undefined && isUnused(after)) unused.set(key, after)
    else unused.delete(key)
  }
  return unused
}

/** Whether nobody else says what there is to say of a slice. */
function isUnused(slice: SliceHead | undefined): boolean {
  return slice !== undefined && slice.serviceKey === undefined && slice.diagnostics.length > 0
}
