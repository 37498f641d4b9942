import type { Change, Create, Delete } from './patch.js'
import type { Resource } from './resource.js'

/**
 * The changes in an order in which no reference is ever without its resource: creations, what is needed first; then
 * updates and edits; then deletions, dependents first. Otherwise the order given.
 */
export function orderChanges(changes: readonly Change[]): readonly Change[] {
  const created = changes.flatMap((change) => (change.kind === 'create' ? [change.resource] : []))
  const deleted = changes.flatMap((change) => (change.kind === 'delete' ? [change.resource] : []))
  return [
    ...neededFirst(created).map((resource): Create => ({ kind: 'create', resource })),
    ...changes.filter(({ kind }) => kind === 'update' || kind === 'edit'),
    ...neededFirst(deleted)
      .map((resource): Delete => ({ kind: 'delete', resource }))
      .reverse(),
  ]
}

/** A resource on its way: which of its references is looked at next. */
interface Visit {
  readonly resource: Resource
  next: number
}

/** The resources, each after those among them that it refers to. References in a circle are taken as they come. */
export function neededFirst(resources: readonly Resource[]): readonly Resource[] {
  const waiting = new Map(resources.map((resource) => [resource.id, resource]))
  const ordered: Resource[] = []
  for (const resource of resources) {
    const path = take(waiting, resource.id)
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const ref = visit.resource.refs[visit.next++]
      if (ref !== undefined) path.push(...take(waiting, ref))
      else ordered.push((path.pop() as Visit).resource)
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

/** The changes of several patches as those of one: references may lead from one to another. */
export function joinChanges(patches: readonly (readonly Change[])[]): readonly Change[] {
  const isDeletion = ({ kind }: Change) => kind === 'delete'
  return orderChanges(
    // What is deleted stands dependents first already.
    patches.flatMap((changes) => [
      ...changes.filter((change) => !isDeletion(change)),
      ...changes.filter(isDeletion).reverse(),
    ]),
  )
}
