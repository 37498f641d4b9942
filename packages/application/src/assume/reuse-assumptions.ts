import { formatReference } from '@kube-rules/types'
import type { AssumableObjects } from '@kube-rules/types/manifests'

/**
 * The objects with assumed values from the last read, by object reference. Each entry also contains the JSON of the
 * object.
 */
export type AssumptionCache = Map<string, { readonly text: string; readonly object: object }>

/**
 * Replaces each object that has assumed values with the object of the last read if both have the same content, so that
 * unchanged objects are not compiled again. Objects in `given` are unchanged input objects. They are returned as they
 * are.
 */
export function reuseAssumptions(
  objects: AssumableObjects,
  given: AssumableObjects,
  memory: AssumptionCache,
): AssumableObjects {
  const isGiven = new Set<object>([...given.services, ...given.endpointSlices, ...given.nodes])
  const next: AssumptionCache = new Map()
  const reused = <T extends Referenced>(kind: string, list: readonly T[]): readonly T[] =>
    list.map((object) => {
      if (isGiven.has(object)) return object
      const key = formatReference({
        kind,
        namespace: object.metadata?.namespace ?? undefined,
        name: object.metadata?.name ?? '',
      })
      const text = JSON.stringify(object)
      const before = memory.get(key)
      const entry = before?.text === text ? before : { text, object }
      next.set(key, entry)
      return entry.object as T
    })
  const result = {
    ...objects,
    services: reused('Service', objects.services),
    endpointSlices: reused('EndpointSlice', objects.endpointSlices),
    nodes: reused('Node', objects.nodes),
  }
  memory.clear()
  for (const [key, entry] of next) memory.set(key, entry)
  return result
}

interface Referenced {
  readonly metadata?:
    | { readonly namespace?: string | null | undefined; readonly name?: string | null | undefined }
    | null
    | undefined
}
