import type { Diagnostic, ObjectReference } from '@kube-rules/types'

/** Objects of one kind, each namespace and name once. */
export interface ObjectSet<T> {
  /** In code-unit order of `namespace/name`; objects without a name come last, as given. */
  readonly sorted: readonly T[]
  readonly byKey: ReadonlyMap<string, T>
  /** One warning for each object that a later one of the same name replaces. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Keeps the last object of each namespace and name. */
export function lastOfEach<T extends { readonly object: ObjectReference }>(objects: readonly T[]): ObjectSet<T> {
  const byKey = new Map<string, T>()
  const nameless: T[] = []
  const diagnostics: Diagnostic[] = []
  for (const item of objects) {
    const key = objectKey(item.object)
    if (item.object.name === '') {
      nameless.push(item)
      continue
    }
    if (byKey.has(key)) diagnostics.push(duplicateObject(item.object))
    byKey.set(key, item)
  }
  return { sorted: sortedValues(byKey).concat(nameless), byKey, diagnostics }
}

/** `namespace/name`. */
export function objectKey(object: ObjectReference): string {
  return `${object.namespace ?? ''}/${object.name}`
}

function sortedValues<T>(byKey: ReadonlyMap<string, T>): readonly T[] {
  const values: T[] = []
  for (const key of [...byKey.keys()].sort()) values.push(byKey.get(key) as T)
  return values
}

function duplicateObject(object: ObjectReference): Diagnostic {
  const message = 'given more than once: the last one counts'
  return { severity: 'warning', code: 'duplicateObject', object, message }
}
