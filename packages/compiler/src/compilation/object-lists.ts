import { type ChunkedList, listLike } from '../internal/chunked-list.js'
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

/** Objects at one place in both lists cost one comparison: informers keep both place and identity. */
function listOf<T>(items: Iterable<T>, before: ChunkedList<T>): ChunkedList<T> {
  return listLike(before, Array.isArray(items) ? items : Array.from(items))
}
