import { isDeepEqual } from '../internal/plain-data.js'

/** A named unit of a state, which is created, changed and deleted as a whole. */
export interface Resource {
  /** The id, unique within a state. */
  readonly id: string
  /**
   * The ids of the resources that the resource depends on, sorted by code unit. A resource that is used several times
   * is listed once per use.
   */
  readonly refs: readonly string[]
  /**
   * The content of the resource, as plain data. An array is an ordered list and is compared item by item. Any other
   * value is compared as a whole.
   */
  readonly value: unknown
  /**
   * The comment of an nftables element. Two resources that differ only in their comments are equal, because kube-proxy
   * may leave an outdated comment on a node.
   */
  readonly comment?: string | undefined
}

/** A state: resources by id. The order of the map is irrelevant. */
export type Resources = ReadonlyMap<string, Resource>

export function indexResourcesById(resources: Iterable<Resource>): Resources {
  const byId = new Map<string, Resource>()
  for (const resource of resources) byId.set(resource.id, resource)
  return byId
}

/** Reports whether two resources are equal. Comments do not count. */
export function areResourcesEqual(a: Resource, b: Resource): boolean {
  return a === b || (a.id === b.id && isDeepEqual(a.refs, b.refs) && isDeepEqual(a.value, b.value))
}
