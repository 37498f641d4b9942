import type { Diagnostic } from '@kube-rules/types'
import { objectKey } from './last-of-each.js'
import type { EndpointsHead } from './legacy-endpoints.js'
import type { ModelObjects } from './read-objects.js'
import type { SliceHead } from './slice-head.js'

/** Slices whose Service was not given, and Endpoints objects that no Service needs. */
export function unusedObjects(objects: ModelObjects): readonly Diagnostic[] {
  const slices = objects.slices.sorted.filter((slice) => isOrphan(slice, objects))
  const endpoints = objects.endpoints.sorted.flatMap((head) => unusedEndpoints(head, objects))
  return [...slices.map(orphanSlice), ...endpoints]
}

function isOrphan(slice: SliceHead, objects: ModelObjects): boolean {
  return slice.serviceKey !== undefined && !objects.services.byKey.has(slice.serviceKey)
}

function orphanSlice(slice: SliceHead): Diagnostic {
  const path = 'metadata.labels[kubernetes.io/service-name]'
  const message = 'there is no Service of this name'
  return { severity: 'warning', code: 'orphanSlice', object: slice.object, path, message }
}

function unusedEndpoints(head: EndpointsHead, objects: ModelObjects): readonly Diagnostic[] {
  if (head.fields === undefined) return []
  const key = objectKey(head.object)
  const message = reasonNotToUse(key, objects)
  return message === undefined ? [] : [{ severity: 'info', code: 'unusedEndpoints', object: head.object, message }]
}

/** Nothing is said about Services that have no rules anyway. */
function reasonNotToUse(key: string, objects: ModelObjects): string | undefined {
  const service = objects.services.byKey.get(key)
  if (service === undefined) return 'there is no Service of this name'
  const replaced = service.facts !== undefined && objects.slicesByService.has(key)
  return replaced ? 'the Service has EndpointSlices, which are used instead' : undefined
}
