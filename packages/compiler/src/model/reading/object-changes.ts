import type { EndpointSlice, Endpoints, Service } from '@kube-rules/types'
import { elementAt } from '../../internal/known-items.js'
import { type DifferingItems, trimCommonEnds } from '../../internal/list-changes.js'
import { subtractItems } from '../../internal/subtract-items.js'

/** The objects of a cluster, by kind. */
export interface ObjectLists {
  readonly services: readonly Service[]
  readonly endpointSlices: readonly EndpointSlice[]
  /** The Endpoints objects; used only for Services without EndpointSlices. */
  readonly endpoints: readonly Endpoints[]
}

export const NO_OBJECTS: ObjectLists = { services: [], endpointSlices: [], endpoints: [] }

/** The difference between two lists of objects. Objects are compared by identity. */
export interface ListChange<T> {
  /** The removed objects; `added` contains the added objects. A changed object is in both lists. */
  readonly removed: readonly T[]
  readonly added: readonly T[]
  /** All objects, in the given order. */
  readonly list: readonly T[]
  /** Whether both lists contain the same objects in the same order. */
  readonly isSame: boolean
}

export interface ObjectChanges {
  readonly services: ListChange<Service>
  readonly endpointSlices: ListChange<EndpointSlice>
  readonly endpoints: ListChange<Endpoints>
}

/** Compares two clusters. */
export function diffObjectLists(before: ObjectLists, after: ObjectLists): ObjectChanges {
  return {
    services: listChange(before.services, after.services),
    endpointSlices: listChange(before.endpointSlices, after.endpointSlices),
    endpoints: listChange(before.endpoints, after.endpoints),
  }
}

export function hasNoObjectChanges({ services, endpointSlices, endpoints }: ObjectChanges): boolean {
  return services.isSame && endpointSlices.isSame && endpoints.isSame
}

function listChange<T>(before: readonly T[], after: readonly T[]): ListChange<T> {
  if (before === after) return { removed: [], added: [], list: after, isSame: true }
  const part = trimCommonEnds(before, after)
  return { ...differences(part), list: after, isSame: part.before.length + part.after.length === 0 }
}

function differences<T>({ before, after }: DifferingItems<T>): Pick<ListChange<T>, 'removed' | 'added'> {
  if (before.length !== after.length)
    return { removed: subtractItems(before, after), added: subtractItems(after, before) }
  const removed: T[] = []
  const added: T[] = []
  before.forEach((item, index) => {
    const other = elementAt(after, index)
    // `Object.is` is faster here: `===` would first inspect whether each item is a number.
    if (Object.is(item, other)) return
    removed.push(item)
    added.push(other)
  })
  return { removed: subtractItems(removed, added), added: subtractItems(added, removed) }
}
