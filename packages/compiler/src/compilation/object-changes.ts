import type { EndpointSlice, Endpoints, Service } from '@kube-rules/types'
import { type DifferingPart, differingPart } from '../internal/differing-part.js'
import { without } from '../internal/without.js'

/** The objects of a cluster, by kind. */
export interface ObjectLists {
  readonly services: readonly Service[]
  readonly endpointSlices: readonly EndpointSlice[]
  readonly endpoints: readonly Endpoints[]
}

/** Objects that are gone, and objects that have come; a changed object is in both. */
export interface ObjectChanges {
  readonly removed: ObjectLists
  readonly added: ObjectLists
}

/** How two clusters differ, told by the identity of their objects; their order does not matter, their number does. */
export function changesBetween(before: ObjectLists, after: ObjectLists): ObjectChanges {
  const services = listChanges(before.services, after.services)
  const endpointSlices = listChanges(before.endpointSlices, after.endpointSlices)
  const endpoints = listChanges(before.endpoints, after.endpoints)
  return {
    removed: {
      services: services.removed,
      endpointSlices: endpointSlices.removed,
      endpoints: endpoints.removed,
    },
    added: { services: services.added, endpointSlices: endpointSlices.added, endpoints: endpoints.added },
  }
}

export function isUnchanged({ removed, added }: ObjectChanges): boolean {
  return [removed, added].every(
    ({ services, endpointSlices, endpoints }) => services.length + endpointSlices.length + endpoints.length === 0,
  )
}

/** Whether two clusters hold the identical objects in the same order. */
export function isSameOrder(before: ObjectLists, after: ObjectLists): boolean {
  return (
    isSameList(before.services, after.services) &&
    isSameList(before.endpointSlices, after.endpointSlices) &&
    isSameList(before.endpoints, after.endpoints)
  )
}

/** Whether two lists hold the identical items in the same order. A plain loop: lists are long, and most are the same. */
export function isSameList<T>(before: readonly T[], after: readonly T[]): boolean {
  if (before.length !== after.length) return false
  for (let index = 0; index < before.length; index++) if (before[index] !== after[index]) return false
  return true
}

interface ListChanges<T> {
  readonly removed: readonly T[]
  readonly added: readonly T[]
}

/** Objects at one place in both lists cost one comparison: informers keep both place and identity. */
function listChanges<T>(before: readonly T[], after: readonly T[]): ListChanges<T> {
  if (before === after) return { removed: [], added: [] }
  return differences(differingPart(before, after))
}

function differences<T>({ before, after }: DifferingPart<T>): ListChanges<T> {
  if (before.length !== after.length) return { removed: without(before, after), added: without(after, before) }
  const removed = before.filter((item, index) => item !== after[index])
  const added = after.filter((item, index) => item !== before[index])
  return { removed: without(removed, added), added: without(added, removed) }
}
