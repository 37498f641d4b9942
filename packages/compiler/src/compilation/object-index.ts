import type { EndpointSlice } from '@kube-rules/types'
import type { Features } from '../configuration/features.js'
import { type EndpointsHead, readEndpointsHead } from '../endpoints/legacy-endpoints.js'
import { readSliceHead, type SliceHead } from '../endpoints/slice-head.js'
import { objectKey, referenceOf } from '../reading/metadata.js'
import { bySliceName, type ServiceGroup } from '../services/group-objects.js'
import { readService, type ServiceReading } from '../services/read-service.js'
import type { ObjectChanges } from './object-changes.js'
import type { ServiceRecord } from './service-record.js'

/** The records by Service, and which slices there are. It changes with every compilation and goes on to the next. */
export interface ObjectIndex {
  /** By `namespace/name` of the Service. */
  readonly records: Map<string, ServiceRecord>
  /** `namespace/name` of every slice. */
  readonly slices: Set<string>
}

export function objectIndex(records: readonly ServiceRecord[], endpointSlices: readonly EndpointSlice[]): ObjectIndex {
  return {
    records: new Map(records.map((record) => [record.group.key, record])),
    slices: new Set(endpointSlices.map((slice) => objectKey(referenceOf('EndpointSlice', slice)))),
  }
}

interface Draft {
  service: ServiceReading | undefined
  slices: SliceHead[]
  endpoints: EndpointsHead | undefined
}

type Drafts = Map<string, Draft>

/**
 * The groups that changes touch, as they are afterwards, by key; one without objects is gone. Undefined where objects
 * are given twice or belong to no group: then only all objects together tell what counts. `index.slices` is brought up
 * to date, and of no use any more after undefined.
 */
export function regroup(
  index: ObjectIndex,
  { removed, added }: ObjectChanges,
  features: Features,
): ReadonlyMap<string, ServiceGroup> | undefined {
  const drafts: Drafts = new Map()
  const draftOf = (key: string): Draft => draftIn(drafts, index, key)
  for (const service of removed.services) draftOf(objectKey(referenceOf('Service', service))).service = undefined
  for (const slice of removed.endpointSlices) removeSlice(readSliceHead(slice), index, draftOf)
  for (const object of removed.endpoints) draftOf(objectKey(referenceOf('Endpoints', object))).endpoints = undefined
  const fits =
    added.services.every((service) => addService(readService(service, features), draftOf)) &&
    added.endpointSlices.every((slice) => addSlice(readSliceHead(slice), index, draftOf)) &&
    added.endpoints.every((object) => addEndpoints(readEndpointsHead(object), draftOf))
  return fits ? new Map(Array.from(drafts, ([key, draft]) => [key, groupOf(key, draft)])) : undefined
}

export function isEmptyGroup({ service, slices, endpoints }: ServiceGroup): boolean {
  return service === undefined && slices.length === 0 && endpoints === undefined
}

function draftIn(drafts: Drafts, index: ObjectIndex, key: string): Draft {
  const known = drafts.get(key)
  if (known !== undefined) return known
  const group = index.records.get(key)?.group
  const draft: Draft = { service: group?.service, slices: [...(group?.slices ?? [])], endpoints: group?.endpoints }
  drafts.set(key, draft)
  return draft
}

function groupOf(key: string, { service, slices, endpoints }: Draft): ServiceGroup {
  return { key, service, slices: slices.sort(bySliceName), endpoints }
}

function removeSlice(head: SliceHead, index: ObjectIndex, draftOf: (key: string) => Draft): void {
  const key = objectKey(head.object)
  index.slices.delete(key)
  if (head.serviceKey === undefined) return
  const draft = draftOf(head.serviceKey)
  draft.slices = draft.slices.filter(({ object }) => objectKey(object) !== key)
}

function addService(reading: ServiceReading, draftOf: (key: string) => Draft): boolean {
  const draft = draftOf(objectKey(reading.object))
  if (reading.object.name === '' || draft.service !== undefined) return false
  draft.service = reading
  return true
}

/** A slice that belongs to no Service counts only where there is something to say of it. */
function addSlice(head: SliceHead, index: ObjectIndex, draftOf: (key: string) => Draft): boolean {
  const key = objectKey(head.object)
  if (index.slices.has(key)) return false
  index.slices.add(key)
  if (head.serviceKey === undefined) return head.diagnostics.length === 0
  draftOf(head.serviceKey).slices.push(head)
  return true
}

function addEndpoints(head: EndpointsHead, draftOf: (key: string) => Draft): boolean {
  const draft = draftOf(objectKey(head.object))
  if (head.object.name === '' || draft.endpoints !== undefined) return false
  draft.endpoints = head
  return true
}
