import type { Change, CreateChange, DeleteChange } from './patch.js'
import type { Resource } from './resource.js'

/**
 * Sorts changes so that every reference always has an existing target. Creations come first, with dependencies before
 * dependents. Updates and edits follow. Deletions come last, with dependents before dependencies. The sort is stable.
 */
export function orderChanges(changes: readonly Change[]): readonly Change[] {
  const created = changes.flatMap((change) => (change.kind === 'create' ? [change.resource] : []))
  const deleted = changes.flatMap((change) => (change.kind === 'delete' ? [change.resource] : []))
  return [
    ...sortByReferences(created).map((resource): CreateChange => ({ kind: 'create', resource })),
    ...changes.filter(({ kind }) => kind === 'update' || kind === 'edit'),
    ...sortByReferences(deleted)
      .map((resource): DeleteChange => ({ kind: 'delete', resource }))
      .reverse(),
  ]
}

/** A resource on the stack of the depth-first sort, with the index of its next reference. */
interface Visit {
  readonly resource: Resource
  next: number
}

/**
 * Sorts resources so that each resource follows the resources that it refers to. Resources with cyclic references keep
 * their order.
 */
export function sortByReferences(resources: readonly Resource[]): readonly Resource[] {
  const waiting = new Map(resources.map((resource) => [resource.id, resource]))
  const ordered: Resource[] = []
  for (const resource of resources) {
    const path = take(waiting, resource.id)
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const ref = visit.resource.refs[visit.next++]
      if (ref !== undefined) path.push(...take(waiting, ref))
      else {
        ordered.push(visit.resource)
        path.pop()
      }
    }
  }
  return ordered
}

function take(waiting: Map<string, Resource>, id: string): Visit[] {
  const resource = waiting.get(id)
  if (resource === undefined) return []
  waiting.delete(id)
  return [{ resource, next: 0 }]
}

/** Joins the changes of several patches. The resources of a patch may refer to resources of another patch. */
export function concatChanges(patches: readonly (readonly Change[])[]): readonly Change[] {
  const isDeletion = ({ kind }: Change) => kind === 'delete'
  return orderChanges(
    // A patch contains its deletions with dependents first; `orderChanges` expects the reverse order.
    patches.flatMap((changes) => [
      ...changes.filter((change) => !isDeletion(change)),
      ...changes.filter(isDeletion).reverse(),
    ]),
  )
}
