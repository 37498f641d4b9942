import type { Diagnostic, ObjectReference } from '@kube-rules/types'
import { appendAll } from '../../internal/append-all.js'
import { compareValues } from '../../internal/compare-values.js'
import { groupItems } from '../../internal/group-items.js'
import { findItems, type ItemsByKey, replaceKeyedItems } from '../../internal/items-by-key.js'
import { mapList } from '../../internal/map-list.js'
import { cacheKeyOf, referenceOf, UNNAMED_KEY } from '../reading/metadata.js'
import type { ListChange } from '../reading/object-changes.js'

/** The parsed data of one object. */
export interface ParsedObject {
  /** The cache key (`cacheKeyOf`). */
  readonly key: string
  /** The original object, for identity comparison. */
  readonly original: unknown
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * The objects of one kind, by `namespace/name`. Objects with the same key keep the given order, and the last object is
 * used. Objects without a name and objects of another API group share a separate key and are never used.
 */
export type NamedObjects<R extends ParsedObject> = ItemsByKey<R>

/** The change of the object in use for one namespace and name. Of several objects with the same name, only one is used. */
export interface EffectiveObjectChange<R> {
  readonly key: string
  readonly before: R | undefined
  readonly after: R | undefined
}

/**
 * Applies a change of a list of objects. `read` parses new objects. `visit` is called for each name that now belongs to
 * another object or to none.
 */
export function replaceObjects<Source, R extends ParsedObject>(
  before: NamedObjects<R>,
  { removed, added, list, isSame }: ListChange<Source>,
  read: (source: Source) => R,
  visit: (change: EffectiveObjectChange<R>) => void,
): NamedObjects<R> {
  if (isSame) return before
  const gone = removed.length === 0 ? [] : readingsOf(before, removed)
  const come = mapList(added, read)
  const exchanged = replaceKeyedItems(before, gone, come)
  const objects = { ...exchanged, several: inOrderOf(list, exchanged.several) }
  if (gone.length + objects.several.size === 0) {
    // All names are different and no object was replaced, so every added object with a name is used.
    for (const after of come) if (after.key !== UNNAMED_KEY) visit({ key: after.key, before: undefined, after })
    return objects
  }
  const keys = new Set<string>()
  for (const { key } of gone) keys.add(key)
  for (const { key } of come) keys.add(key)
  for (const key of before.several.keys()) keys.add(key)
  for (const key of keys) {
    const change = { key, before: countingAt(before, key), after: countingAt(objects, key) }
    if (change.before !== change.after) visit(change)
  }
  return objects
}

/**
 * Returns a warning for each object of this kind that a later object with the same name replaces. These warnings are
 * followed by the diagnostics of objects without a name and of objects of another API group.
 */
export function reportNamedObjects(kind: string, objects: NamedObjects<ParsedObject>): readonly Diagnostic[] {
  const replaced: ParsedObject[] = []
  for (const [key, list] of objects.several) if (key !== UNNAMED_KEY) appendAll(replaced, list.slice(0, -1))
  return [
    ...replaced.sort(byKey).map(({ original }) => duplicateObject(referenceOf(kind, original))),
    ...findItems(objects, UNNAMED_KEY).flatMap(({ diagnostics }) => diagnostics),
  ]
}

function countingAt<R extends ParsedObject>(objects: NamedObjects<R>, key: string): R | undefined {
  return key === UNNAMED_KEY ? undefined : findItems(objects, key).at(-1)
}

/** Returns the parsed data of the given objects. The objects may contain duplicates. */
function readingsOf<R extends ParsedObject>(objects: NamedObjects<R>, sources: readonly unknown[]): readonly R[] {
  // Objects of another API group have a name, but the key of objects without a name.
  const keys = new Set([UNNAMED_KEY, ...sources.map((source) => cacheKeyOf(referenceOf('', source)))])
  const readings = byGiven(Array.from(keys).flatMap((key) => findItems(objects, key)))
  return sources.flatMap((source) => readings.get(source)?.pop() ?? [])
}

/** Groups parsed data by the original object. */
function byGiven<R extends ParsedObject>(readings: readonly R[]): ReadonlyMap<unknown, R[]> {
  return groupItems(readings, ({ original }) => original)
}

/** Sorts each list of parsed data in the order of the original objects. */
function inOrderOf<R extends ParsedObject>(
  list: readonly unknown[],
  several: ReadonlyMap<string, readonly R[]>,
): ReadonlyMap<string, readonly R[]> {
  if (several.size === 0) return several
  const waiting = byGiven(Array.from(several.values()).flat())
  const ordered = new Map<string, R[]>(Array.from(several.keys(), (key) => [key, []]))
  for (const source of list) {
    const reading = waiting.get(source)?.pop()
    if (reading !== undefined) ordered.get(reading.key)?.push(reading)
  }
  return ordered
}

/** Compares two items in code-unit order of `namespace/name`. */
function byKey({ key: a }: ParsedObject, { key: b }: ParsedObject): number {
  return compareValues(a, b)
}

function duplicateObject(object: ObjectReference): Diagnostic {
  const message = 'given more than once; the last one is used'
  return { severity: 'warning', code: 'duplicateObject', object, message }
}
