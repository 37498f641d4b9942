import type { Diagnostic, EndpointSlice, Endpoints, Service } from '@kube-rules/types'
import { type KeyedItem, NO_ITEMS } from '../../internal/items-by-key.js'
import type { Features } from '../configuration/features.js'
import { type EndpointsHeader, readEndpointsHeader } from '../endpoints/legacy-endpoints.js'
import { readSliceHeader, type SliceHeader } from '../endpoints/slice-header.js'
import type { ObjectChanges } from '../reading/object-changes.js'
import { type EffectiveObjectChange, type NamedObjects, replaceObjects, reportNamedObjects } from './named-objects.js'
import { type ParsedService, readService } from './read-service.js'

/** All objects that belong to the Service with one namespace and name. The Service itself may be missing. */
export interface ServiceGroup {
  /** `namespace/name` of the Service. */
  readonly key: string
  readonly service?: ParsedService | undefined
  /** Slices in code-unit order of their names, which is their order of precedence. */
  readonly slices: readonly SliceHeader[]
  readonly endpoints?: EndpointsHeader | undefined
}

/** All parsed objects of a cluster, one per namespace and name. */
export interface ClusterObjects {
  readonly services: NamedObjects<ParsedService>
  readonly slices: NamedObjects<SliceHeader>
  readonly endpoints: NamedObjects<EndpointsHeader>
  /** The slices that have diagnostics but no Service, by `namespace/name`. */
  readonly unusedSlices: ReadonlyMap<string, SliceHeader>
}

export const EMPTY_CLUSTER: ClusterObjects = {
  services: NO_ITEMS,
  slices: NO_ITEMS,
  endpoints: NO_ITEMS,
  unusedSlices: new Map(),
}

/** The objects after a change, and the affected groups. */
export interface GroupedObjects {
  readonly objects: ClusterObjects
  /** The groups in code-unit order of `key`. There are no groups without objects. */
  readonly groups: readonly ServiceGroup[]
}

/**
 * Adds new objects to the groups of their Services and removes deleted objects from them. `groupAt` returns the
 * previous version of a group.
 */
export function regroupObjects(
  before: ClusterObjects,
  changes: ObjectChanges,
  groupAt: (key: string) => ServiceGroup | undefined,
  features: Features,
): GroupedObjects {
  const drafts = new Map<string, Draft>()
  const draftOf = (key: string): Draft => {
    const existing = drafts.get(key)
    if (existing !== undefined) return existing
    const draft = draftOfGroup(key, groupAt(key))
    drafts.set(key, draft)
    return draft
  }
  const readServiceOf = (service: Service) => readService(service, features)
  const services = replaceObjects(before.services, changes.services, readServiceOf, ({ key, after }) => {
    draftOf(key).service = after
  })
  const unused: EffectiveObjectChange<SliceHeader>[] = []
  const readSliceOf = (slice: EndpointSlice) => readSliceHeader(slice, features)
  const slices = replaceObjects(before.slices, changes.endpointSlices, readSliceOf, (change) => {
    replaceSlice(change, draftOf)
    if (isUnused(change.before) || isUnused(change.after)) unused.push(change)
  })
  const readEndpointsOf = (endpoints: Endpoints) => readEndpointsHeader(endpoints, features)
  const endpoints = replaceObjects(before.endpoints, changes.endpoints, readEndpointsOf, ({ key, after }) => {
    draftOf(key).endpoints = after
  })
  return {
    objects: { services, slices, endpoints, unusedSlices: unusedAfter(before.unusedSlices, unused) },
    groups: Array.from(drafts.values(), groupOf).sort(byKey),
  }
}

export function isEmptyGroup({ service, slices, endpoints }: ServiceGroup): boolean {
  return service === undefined && slices.length === 0 && endpoints === undefined
}

/** Returns diagnostics about duplicate objects, and about objects without a group. */
export function reportUngroupedObjects({
  services,
  slices,
  endpoints,
  unusedSlices,
}: ClusterObjects): readonly Diagnostic[] {
  return [
    ...reportNamedObjects('Service', services),
    ...reportNamedObjects('EndpointSlice', slices),
    ...reportNamedObjects('Endpoints', endpoints),
    ...Array.from(unusedSlices.keys())
      .sort()
      .flatMap((key) => unusedSlices.get(key)?.diagnostics ?? []),
  ]
}

/** A group under construction. */
interface Draft extends ServiceGroup {
  service: ParsedService | undefined
  slices: SliceHeader[]
  endpoints: EndpointsHeader | undefined
}

function draftOfGroup(key: string, group: ServiceGroup | undefined): Draft {
  return { key, service: group?.service, slices: group?.slices.slice() ?? [], endpoints: group?.endpoints }
}

/** Completes a draft: sorts its slices. */
function groupOf(draft: Draft): ServiceGroup {
  if (draft.slices.length > 1) draft.slices = draft.slices.sort(byKey).slice()
  return draft
}

function replaceSlice({ before, after }: EffectiveObjectChange<SliceHeader>, draftOf: (key: string) => Draft): void {
  if (before?.serviceKey !== undefined) {
    const draft = draftOf(before.serviceKey)
    draft.slices = draft.slices.filter((slice) => slice !== before)
  }
  if (after?.serviceKey === undefined) return
  const draft = draftOf(after.serviceKey)
  // A list with one slice is created directly, because most groups have one slice, and a list that grew by `push` has
  // unused capacity for 16 items.
  if (draft.slices.length === 0) draft.slices = [after]
  else draft.slices.push(after)
}

/**
 * Compares two items in code-unit order of `namespace/name`. For slices of one Service, which have the same namespace,
 * this is the order of precedence.
 */
function byKey({ key: a }: KeyedItem, { key: b }: KeyedItem): number {
  return a < b ? -1 : 1
}

function unusedAfter(
  before: ReadonlyMap<string, SliceHeader>,
  changes: readonly EffectiveObjectChange<SliceHeader>[],
): ReadonlyMap<string, SliceHeader> {
  if (changes.length === 0) return before
  const unused = new Map(before)
  for (const { key, after } of changes) {
    if (after !== undefined && isUnused(after)) unused.set(key, after)
    else unused.delete(key)
  }
  return unused
}

/** Reports whether a slice has diagnostics but no Service, so that no group reports its diagnostics. */
function isUnused(slice: SliceHeader | undefined): boolean {
  return slice !== undefined && slice.serviceKey === undefined && slice.diagnostics.length > 0
}
