import { type ChunkedList, chunkedList, itemsOf } from './chunked-list.js'
import { classifySource, type LazyFields, lazyFields } from './memo.js'

type List<T> = () => ChunkedList<T>

type FieldsOfList<T> = Readonly<Record<string, (list: List<T>) => unknown>>

/** Returns the object, and in it by this name an array of the items of a list: it is made when it is first read. So is `more`. */
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

/** Returns whether an array of the object is made of a list. */
export function isOfList(object: object): boolean {
  return classifySource<List<unknown>>(object) !== undefined
}

/** Returns the list behind an array of an object, or a new one; undefined if there is no array. */
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
