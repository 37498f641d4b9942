import { isOfOtherGroup } from '../api-groups.js'
import { MAXIMUM_DEPTH } from '../schema/manifest-documents.js'

/** An object of any kind, unchanged from the input. */
export interface ManifestObject {
  readonly kind: string
  readonly value: object
}

/** Reports whether an object is of a kind that rules depend on, and not of another API group with a kind of this name. */
export function isOfKind({ kind, value }: ManifestObject, expected: string): boolean {
  return kind === expected && !isOfOtherGroup(kind, value)
}

/**
 * Collects the objects of documents in input order, including the items of arrays and of List objects. Ignores lists
 * that `parseManifests` rejects because they are nested too deeply.
 */
export function collectManifestObjects(values: readonly unknown[]): readonly ManifestObject[] {
  const objects: ManifestObject[] = []
  visit({ objects, seen: new Set() }, values, { depth: 0 })
  return objects
}

interface Walk {
  readonly objects: ManifestObject[]
  readonly seen: Set<object>
}

/** The number of lists around a value. If a typed list contains the value, also the kind of its items. */
interface Place {
  readonly depth: number
  readonly kind?: string | undefined
}

function visit(walk: Walk, value: unknown, { depth, kind: kindOfItems }: Place): void {
  if (typeof value !== 'object' || value === null || walk.seen.has(value)) return
  walk.seen.add(value)
  if (Array.isArray(value)) {
    if (depth === MAXIMUM_DEPTH) return
    for (const item of value) visit(walk, item, { depth: depth + 1, kind: kindOfItems })
    return
  }
  const kind = getStringAt(value, 'kind') ?? kindOfItems
  const items = getFieldAt(value, 'items')
  if (kind?.endsWith('List') && Array.isArray(items)) {
    visit(walk, items, { depth, kind: kind === 'List' ? undefined : kind.slice(0, -'List'.length) })
  } else if (kind !== undefined) walk.objects.push({ kind, value })
}

/** Returns the value at a path of own fields; undefined if a field of the path is absent. */
export function getFieldAt(value: unknown, ...path: readonly string[]): unknown {
  let field = value
  for (const name of path) {
    if (typeof field !== 'object' || field === null || !Object.hasOwn(field, name)) return undefined
    field = field[name as keyof typeof field]
  }
  return field
}

/** Returns the string at a path; undefined for any other value and for the empty string. */
export function getStringAt(value: unknown, ...path: readonly string[]): string | undefined {
  const field = getFieldAt(value, ...path)
  return typeof field === 'string' && field !== '' ? field : undefined
}

/** Returns the items of the list at a path; empty if there is no list at this path. */
export function getListAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const field = getFieldAt(value, ...path)
  return Array.isArray(field) ? field : []
}
