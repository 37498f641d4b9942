import type { Diagnostic, ObjectReference } from '@kube-rules/types'

/** Objects of one kind, each namespace and name once. */
export interface ObjectSet<T> {
  /** By `namespace/name`. */
  readonly byKey: ReadonlyMap<string, T>
  /** Those without a name, as given. */
  readonly nameless: readonly T[]
  /** One warning for each object that a later one of the same name replaces, in code-unit order of their names. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Keeps the last object of each namespace and name. */
export function lastOfEach<T extends { readonly object: ObjectReference }>(objects: Iterable<T>): ObjectSet<T> {
  const byKey = new Map<string, T>()
  const nameless: T[] = []
  const replaced: ObjectReference[] = []
  for (const item of objects) {
    if (item.object.name === '') {
      nameless.push(item)
      continue
    }
    const { size } = byKey
    if (byKey.set(objectKey(item.object), item).size === size) replaced.push(item.object)
  }
  return { byKey, nameless, diagnostics: replaced.sort(byObjectKey).map(duplicateObject) }
}

/** `namespace/name`. */
export function objectKey(object: ObjectReference): string {
  return `${object.namespace ?? ''}/${object.name}`
}

/** Code-unit order of `namespace/name`. */
export function byObjectKey(left: ObjectReference, right: ObjectReference): number {
  const [a, b] = [objectKey(left), objectKey(right)]
  return a < b ? -1 : a > b ? 1 : 0
}

function duplicateObject(object: ObjectReference): Diagnostic {
  const message = 'given more than once: the last one counts'
  return { severity: 'warning', code: 'duplicateObject', object, message }
}
