import { expectedApiVersion, isOfOtherGroup } from '@kube-rules/types/internal/api-groups'
import { createArgumentError } from '@kube-rules/types/internal/diagnostic'
import { elementAt } from '../../internal/known-items.js'
import { createOtherGroupError } from './api-groups.js'
import { createArgumentTypeError } from './argument-error.js'
import { describeValue } from './diagnostic-collector.js'
import { type Fields, isAbsent, isObject } from './read-field.js'
import { readArgument } from './read-safely.js'

/** The objects of one kind: an array, any other iterable, or a Kubernetes API list. */
export type ObjectList<T> = Iterable<T> | { readonly items?: readonly T[] | null | undefined }

/** The maximum number of objects of one kind. The limit is necessary, because a JavaScript Proxy can claim any length. */
const MAX_OBJECTS = 10_000_000

/**
 * Returns the objects of the argument `name`. An iterable is returned unchanged; for a `List` or a typed list such as
 * `ServiceList`, the items are returned.
 *
 * Throws DiagnosticsError (`invalidArgument`) for any other value, for a list of another kind or API group, and for a
 * list item that declares another kind or API group.
 */
export function itemsOfArgument<T>(name: string, kind: string, value: ObjectList<T>): Iterable<T> {
  return readArgument(name, () => iterableOf(name, kind, value))
}

function iterableOf<T>(name: string, kind: string, value: ObjectList<T>): Iterable<T> {
  if (Array.isArray(value) && value.length > MAX_OBJECTS) {
    throw createArgumentError(name, `${value.length} objects are too many`, `at most ${MAX_OBJECTS} objects`)
  }
  if (value instanceof Map) throw createArgumentError(name, 'a Map is a list of pairs', 'its values()')
  if (isIterable(value)) return value as Iterable<T>
  const expected = `an iterable of objects of kind ${kind}, or a ${kind}List`
  if (!isObject(value) || !Object.hasOwn(value, 'items')) {
    const message = isAbsent(value) ? 'missing' : `${describeValue(value)} is not a list`
    throw createArgumentError(name, message, expected)
  }
  const { items, kind: listKind }: Fields = value
  if (listKind === `${kind}List`) rejectOtherGroup(name, kind, value)
  if (typeof listKind === 'string' && listKind !== 'List' && listKind !== `${kind}List`) {
    throw createArgumentTypeError(name, listKind, 'a list of this kind', 'kind', expected)
  }
  if (isAbsent(items)) return []
  if (!Array.isArray(items)) throw createArgumentTypeError(name, items, 'a list', 'items')
  rejectOtherKinds(name, kind, items)
  for (const [index, item] of items.entries()) rejectOtherGroup(name, kind, item, `items[${index}].`)
  return items
}

/** Reports whether a value is an iterable other than text. Text does not count, although its characters can be iterated. */
function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

/**
 * Rejects list items of other kinds, because `kubectl get` can print one List with several kinds. An item without
 * `kind` is accepted, because the items of typed lists, such as ServiceList, have no `kind`.
 */
function rejectOtherKinds(name: string, kind: string, items: readonly unknown[]): void {
  const index = items.findIndex((item) => isObject(item) && typeof item.kind === 'string' && item.kind !== kind)
  if (index < 0) return
  const item = elementAt(items, index)
  throw createArgumentError(
    name,
    `${describeValue(isObject(item) ? item.kind : undefined)} is another kind`,
    kind,
    `items[${index}].kind`,
  )
}

/** Rejects a list, or the item of a list at `path`, of another API group, such as Knative's `ServiceList`. */
function rejectOtherGroup(name: string, kind: string, object: unknown, path = ''): void {
  if (!isOfOtherGroup(kind, object)) return
  const { message } = createOtherGroupError(kind, object)
  throw createArgumentError(name, message, expectedApiVersion(kind), `${path}apiVersion`)
}
