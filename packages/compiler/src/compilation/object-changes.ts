import type { EndpointSlice, Endpoints, Service } from '@kube-rules/types'

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

/** How two clusters differ, told by the identity of their objects; their order does not matter. */
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

interface ListChanges<T> {
  readonly removed: readonly T[]
  readonly added: readonly T[]
}

/** Objects at one place in both lists cost one comparison: informers keep both place and identity. */
function listChanges<T>(before: readonly T[], after: readonly T[]): ListChanges<T> {
  const limit = Math.min(before.length, after.length)
  let start = 0
  while (start < limit && before[start] === after[start]) start++
  let end = 0
  while (end < limit - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  const gone = before.slice(start, before.length - end)
  const come = after.slice(start, after.length - end)
  if (gone.length !== come.length) return { removed: without(gone, come), added: without(come, gone) }
  const removed = gone.filter((item, index) => item !== come[index])
  const added = come.filter((item, index) => item !== gone[index])
  return { removed: without(removed, added), added: without(added, removed) }
}

function without<T>(items: readonly T[], others: readonly T[]): readonly T[] {
  const known = new Set(others)
  return items.filter((item) => !known.has(item))
}
