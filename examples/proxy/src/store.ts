import { keepUsedFields, type WatchedKind } from '@kube-rules/proxy-kit'
import type { ApiObject, Receiver } from './reflect.js'

/** Receives notifications about changes that rules may depend on. */
export interface StoreListener {
  onList(kind: string, objects: ReadonlyMap<string, ApiObject>): void
  onChange(kind: string, object: ApiObject, isGone: boolean): void
  /** Reports the deletion of an object that stays in use. */
  onDeletion(kind: string): void
}

/** Stores the fields of objects that rules depend on. Updates of other fields do not count as changes. */
export function createStore(sources: readonly WatchedKind[], listener: StoreListener) {
  const kinds = new Map<string, Map<string, ApiObject>>()
  const receiver: Receiver = {
    reduce: ({ kind }, object) => keepUsedFields(kind, object) as ApiObject,
    replace: ({ kind, staysAfterDeletion }, objects) => {
      const before = kinds.get(kind)
      const next = new Map<string, ApiObject>()
      for (const kept of objects) {
        const key = keyOf(kept)
        const held = before?.get(key)
        next.set(key, held !== undefined && isSame(held, kept) ? held : kept)
      }
      const isDeleted = staysAfterDeletion === true && next.size === 0 && before !== undefined && before.size > 0
      const current = isDeleted ? before : next
      kinds.set(kind, current)
      listener.onList(kind, current)
      if (isDeleted) listener.onDeletion(kind)
    },
    apply: ({ kind, staysAfterDeletion }, type, kept) => {
      const held = kinds.get(kind)
      if (held === undefined) return
      const key = keyOf(kept)
      const before = held.get(key)
      if (type === 'DELETED') {
        if (staysAfterDeletion) listener.onDeletion(kind)
        else if (held.delete(key)) listener.onChange(kind, kept, true)
      } else if (before === undefined || !isSame(before, kept)) {
        held.set(key, kept)
        listener.onChange(kind, kept, false)
      }
    },
  }
  return {
    receiver,
    /** Reports whether every kind has been listed. Before that, rules of unknown objects would be missing. */
    isComplete: () => sources.every(({ kind }) => kinds.has(kind)),
    kinds: () => [...kinds],
  }
}

export type Store = ReturnType<typeof createStore>

function keyOf({ metadata }: ApiObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`
}

function isSame(one: ApiObject, other: ApiObject): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
