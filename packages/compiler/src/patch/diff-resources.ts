import { diffLists } from './diff-lists.js'
import { digestOf } from './digest.js'
import { orderChanges } from './order.js'
import { type Change, createPatch, diffReferences, type Patch } from './patch.js'
import { areResourcesEqual, type Resource, type Resources } from './resource.js'
import type { Splice } from './splice.js'

/** A resource before and after a change; absent in a state that does not contain the resource. */
export interface ResourcePair {
  readonly before?: Resource | undefined
  readonly after?: Resource | undefined
}

/** Options of a comparison of two states. */
export interface DiffOptions {
  /** Whether a resource that differs only in its comment is updated. Default: false. */
  readonly withComments?: boolean | undefined
}

/**
 * Returns the patch from one state to the other. Compares every resource. If the resources that may differ are known,
 * use `diffPairs` instead.
 */
export function diffResources(before: Resources, after: Resources, options?: DiffOptions): Patch {
  const changes = orderChanges(diffPairs(pairResources(before, after), options))
  return createPatch({ from: () => digestOf(before), to: () => digestOf(after) }, changes)
}

/**
 * Returns every resource that is not the identical object in both states. Resources of the new state come first,
 * followed by removed resources.
 */
export function pairResources(before: Resources, after: Resources): readonly ResourcePair[] {
  const pairs: ResourcePair[] = []
  for (const [id, resource] of after) {
    const existing = before.get(id)
    if (existing !== resource) pairs.push({ before: existing, after: resource })
  }
  for (const [id, resource] of before) if (!after.has(id)) pairs.push({ before: resource })
  return pairs
}

/**
 * Returns the changes of the resources that may differ, in the given order. The caller guarantees that all other
 * resources are the same.
 */
export function diffPairs(pairs: Iterable<ResourcePair>, options: DiffOptions = {}): readonly Change[] {
  const changes: Change[] = []
  for (const pair of pairs) {
    const change = changeOf(pair, options)
    if (change !== undefined) changes.push(change)
  }
  return changes
}

function changeOf({ before, after }: ResourcePair, { withComments = false }: DiffOptions): Change | undefined {
  if (after === undefined) return before && { kind: 'delete', resource: before }
  if (before === undefined) return { kind: 'create', resource: after }
  if (Array.isArray(before.value) && Array.isArray(after.value))
    return changeOfList(before, before.value, after, after.value)
  const isSame = areResourcesEqual(before, after) && !(withComments && before.comment !== after.comment)
  return isSame ? undefined : { kind: 'update', id: after.id, before, after }
}

function changeOfList(
  before: Resource,
  itemsBefore: readonly unknown[],
  after: Resource,
  itemsAfter: readonly unknown[],
): Change | undefined {
  const splices = diffLists(itemsBefore, itemsAfter)
  const { refsRemoved, refsAdded } = diffReferences(before.refs, after.refs)
  if (splices.length + refsRemoved.length + refsAdded.length === 0) return undefined
  if (mostlyChanges(splices, itemsBefore.length)) return { kind: 'update', id: after.id, before, after }
  return { kind: 'edit', id: after.id, refsRemoved, refsAdded, splices }
}

/** Reports whether more items change than remain. */
function mostlyChanges(splices: readonly Splice[], lengthBefore: number): boolean {
  const removed = splices.reduce((sum, splice) => sum + splice.removed.length, 0)
  const inserted = splices.reduce((sum, splice) => sum + splice.inserted.length, 0)
  return removed + inserted > lengthBefore - removed
}
