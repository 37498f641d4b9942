import { isSameList } from '../internal/is-same-list.js'
import type { ObjectLists } from '../reading/object-changes.js'
import { objectsOf } from '../reading/object-list.js'
import type { CompileInput } from './compile-result.js'

/**
 * The objects of an input, in lists of our own; a list with the identical objects as one of `before` is that one. Throws
 * DiagnosticsError for what is no list.
 */
export function objectLists({ services, endpointSlices, endpoints }: CompileInput, before: ObjectLists): ObjectLists {
  return {
    services: listOf(objectsOf('services', 'Service', services), before.services),
    endpointSlices: listOf(objectsOf('endpointSlices', 'EndpointSlice', endpointSlices ?? []), before.endpointSlices),
    endpoints: listOf(objectsOf('endpoints', 'Endpoints', endpoints ?? []), before.endpoints),
  }
}

/** Lists are copied as a whole, which is much quicker than item by item. */
function listOf<T>(items: Iterable<T>, before: readonly T[]): readonly T[] {
  const list: readonly T[] = Array.isArray(items) ? items : Array.from(items)
  if (isSameList(before, list)) return before
  return list === items ? list.slice() : list
}
