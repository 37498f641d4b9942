import { without } from '../internal/without.js'
import { type Resource, type Resources, sameResource } from './resource.js'
import { applySplices, invertSplices, type Splice } from './splice.js'

/**
 * What turns one state into another. Plain data: it means the same after a way through JSON. `changes` are in an order in
 * which nothing is ever missing what it refers to: what is needed first is created first, then the rest is changed,
 * then deleted, dependents first.
 */
export interface Patch {
  /**
   * The digest of the state it starts from: whoever applies it can refuse it for another one. A look at all of the state the
   * first time somebody asks for it or for `to`, and until then the patch holds on to both states; later ones are carried on
   * from patch to patch.
   */
  readonly from: string
  /** The digest of the state it leads to. */
  readonly to: string
  readonly changes: readonly Change[]
}

export type Change = Create | Update | Edit | Delete

export interface Create {
  readonly kind: 'create'
  readonly resource: Resource
}

/** The whole resource is another: it is no list, or more of it changes than stays. */
export interface Update {
  readonly kind: 'update'
  readonly id: string
  readonly before: Resource
  readonly after: Resource
}

/** Some items of a list change. */
export interface Edit {
  readonly kind: 'edit'
  readonly id: string
  /** The references it has no more and those that are new, each sorted, one for each use. */
  readonly refsRemoved: readonly string[]
  readonly refsAdded: readonly string[]
  /** Ascending, apart from each other. */
  readonly splices: readonly Splice[]
}

export interface Delete {
  readonly kind: 'delete'
  readonly resource: Resource
}

/** The id of the resource that a change is about. */
export function idOf(change: Change): string {
  return change.kind === 'create' || change.kind === 'delete' ? change.resource.id : change.id
}

export function isEmpty(patch: Patch): boolean {
  return patch.changes.length === 0
}

/** The state after the patch. Throws where the state is not what the changes start from. */
export function apply(state: Resources, patch: Patch): Resources {
  const result = new Map(state)
  for (const change of patch.changes) applyChange(result, change)
  return result
}

/** A patch whose digests are looked for when somebody asks for them. */
export function patchOf(
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

/** The patch that undoes this one. */
export function invert(patch: Patch): Patch {
  return patchOf({ from: () => patch.to, to: () => patch.from }, patch.changes.map(invertChange).reverse())
}

/** The references of one list that the other lacks, both ways, each sorted; they count as often as they occur. */
export function refsBetween(
  before: readonly string[],
  after: readonly string[],
): { readonly refsRemoved: readonly string[]; readonly refsAdded: readonly string[] } {
  return { refsRemoved: without(before, after).sort(), refsAdded: without(after, before).sort() }
}

function applyChange(state: Map<string, Resource>, change: Change): void {
  switch (change.kind) {
    case 'create':
      if (state.has(change.resource.id)) refuse(change.resource.id)
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
  const known = state.get(expected.id)
  if (known === undefined || !sameResource(known, expected)) refuse(expected.id)
}

function edited(resource: Resource | undefined, { id, refsRemoved, refsAdded, splices }: Edit): Resource {
  if (resource === undefined || !Array.isArray(resource.value)) return refuse(id)
  const refs = [...without(resource.refs, refsRemoved), ...refsAdded].sort()
  return { id, refs, value: applySplices(resource.value, splices) }
}

function refuse(id: string): never {
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
