import { type ChunkedList, chunkedList, itemsOf } from './chunked-list.js'
import { classifySource, type LazyFields, lazyFields } from './memo.js'

type List<T> = () => ChunkedList<T>

type FieldsOfList<T> = Readonly<Record<string, (list: List<T>) => unknown>>

/**
 * Returns the object with a property of this name, an array of the items of a list, which is created on first access.
 * The same applies to `more`.
 */
export function withArray<
  Fields extends object,
  Name extends string,
  T,
  More extends FieldsOfList<T> = Record<never, never>,
>(
  fields: Fields,
  name: Name,
  list: List<T>,
  more?: More,
): Fields & Readonly<Record<Name, readonly T[]>> & LazyFields<More> {
  const compute = { [name]: (source: List<T>) => itemsOf(source()), ...more }
  return lazyFields(compute)(fields, list) as Fields & Readonly<Record<Name, readonly T[]>> & LazyFields<More>
}

/** Reports whether an array of the object was created from a list. */
export function isOfList(object: object): boolean {
  return classifySource<List<unknown>>(object) !== undefined
}

/** Returns the list of an array property created by `withArray`, or a new list; undefined if there is no array. */
export function listBehind<Name extends string, Fields extends Readonly<Record<Name, readonly unknown[]>>>(
  object: Fields,
  name: Name,
): ChunkedList<Fields[Name][number]>
export function listBehind<
  Name extends string,
  Fields extends Readonly<Partial<Record<Name, readonly unknown[] | undefined>>>,
>(object: Fields, name: Name): ChunkedList<NonNullable<Fields[Name]>[number]> | undefined
export function listBehind<T>(
  object: Readonly<Record<string, readonly T[] | undefined>>,
  name: string,
): ChunkedList<T> | undefined {
  const list = classifySource<List<T>>(object)
  if (list !== undefined) return list()
  const array = object[name]
  return array && chunkedList(array)
}
