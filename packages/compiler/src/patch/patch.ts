import { subtractItems } from '../internal/subtract-items.js'
import { areResourcesEqual, type Resource, type Resources } from './resource.js'
import { applySplices, invertSplices, type Splice } from './splice.js'

/**
 * The patch from one state to another. A patch is plain data that survives a JSON round trip. The order of `changes`
 * keeps every reference valid. Creations come first, with dependencies before dependents. Updates and edits follow.
 * Deletions come last, with dependents before dependencies.
 */
export interface Patch {
  /**
   * The digest of the old state. With this digest, a patch for another state can be rejected. The digest is lazily
   * computed: for the first patch from the whole state, for later patches from the digests of the previous patch. Until
   * the digest is computed, the patch retains both states.
   */
  readonly from: string
  /** The digest of the new state. */
  readonly to: string
  /** The changes in the order of their application. */
  readonly changes: readonly Change[]
}

/** A change of one resource. */
export type Change = CreateChange | UpdateChange | EditChange | DeleteChange

/** A change that adds a resource. */
export interface CreateChange {
  /** Always `create`. */
  readonly kind: 'create'
  /** The new resource. */
  readonly resource: Resource
}

/** A change that replaces a resource, because its value is not a list, or because most items of the list change. */
export interface UpdateChange {
  /** Always `update`. */
  readonly kind: 'update'
  /** The id of the resource. */
  readonly id: string
  /** The resource before the change. */
  readonly before: Resource
  /** The resource after the change, with the same id. */
  readonly after: Resource
}

/** A change of some items of a resource with a list as value. */
export interface EditChange {
  /** Always `edit`. */
  readonly kind: 'edit'
  /** The id of the resource. */
  readonly id: string
  /** The references that were removed, sorted, once per use. */
  readonly refsRemoved: readonly string[]
  /** The references that were added, sorted, once per use. */
  readonly refsAdded: readonly string[]
  /** The splices, ascending and disjoint. */
  readonly splices: readonly Splice[]
}

/** A change that removes a resource. */
export interface DeleteChange {
  /** Always `delete`. */
  readonly kind: 'delete'
  /** The removed resource. */
  readonly resource: Resource
}

/** Returns the id of the changed resource. */
export function resourceIdOf(change: Change): string {
  return change.kind === 'create' || change.kind === 'delete' ? change.resource.id : change.id
}

export function hasNoChanges(patch: Patch): boolean {
  return patch.changes.length === 0
}

/** Applies a patch to a state. Throws if the changed resources do not have the old values of the patch. */
export function applyChanges(state: Resources, patch: Patch): Resources {
  const result = new Map(state)
  for (const change of patch.changes) applyChange(result, change)
  return result
}

/** Creates a patch with lazily computed digests. */
export function createPatch(
  digests: { readonly from: () => string; readonly to: () => string },
  changes: readonly Change[],
): Patch {
  let from: string | undefined
  let to: string | undefined
  return {
    get from() {
      from ??= digests.from()
      return from
    },
    get to() {
      to ??= digests.to()
      return to
    },
    changes,
  }
}

/** Returns the inverse patch. */
export function invertChanges(patch: Patch): Patch {
  return createPatch({ from: () => patch.to, to: () => patch.from }, patch.changes.map(invertChange).reverse())
}

/**
 * Returns the references that only the old list contains, and the references that only the new list contains. Both
 * results are sorted. Duplicate references are compared by their number.
 */
export function diffReferences(
  before: readonly string[],
  after: readonly string[],
): { readonly refsRemoved: readonly string[]; readonly refsAdded: readonly string[] } {
  return { refsRemoved: subtractItems(before, after).sort(), refsAdded: subtractItems(after, before).sort() }
}

function applyChange(state: Map<string, Resource>, change: Change): void {
  switch (change.kind) {
    case 'create':
      if (state.has(change.resource.id)) throwUnprintable(change.resource.id)
      state.set(change.resource.id, change.resource)
      return
    case 'update':
      expectResource(state, change.before)
      state.set(change.id, change.after)
      return
    case 'edit':
      state.set(change.id, edited(state.get(change.id), change))
      return
    case 'delete':
      expectResource(state, change.resource)
      state.delete(change.resource.id)
  }
}

function expectResource(state: Resources, expected: Resource): void {
  const existing = state.get(expected.id)
  if (existing === undefined || !areResourcesEqual(existing, expected)) throwUnprintable(expected.id)
}

function edited(resource: Resource | undefined, { id, refsRemoved, refsAdded, splices }: EditChange): Resource {
  if (resource === undefined || !Array.isArray(resource.value)) return throwUnprintable(id)
  const refs = [...subtractItems(resource.refs, refsRemoved), ...refsAdded].sort()
  return { id, refs, value: applySplices(resource.value, splices) }
}

function throwUnprintable(id: string): never {
  throw new Error(`The patch does not fit the state at ${id}`)
}

function invertChange(change: Change): Change {
  switch (change.kind) {
    case 'create':
      return { kind: 'delete', resource: change.resource }
    case 'update':
      return { ...change, before: change.after, after: change.before }
    case 'edit':
      return {
        ...change,
        refsRemoved: change.refsAdded,
        refsAdded: change.refsRemoved,
        splices: invertSplices(change.splices),
      }
    case 'delete':
      return { kind: 'create', resource: change.resource }
  }
}
