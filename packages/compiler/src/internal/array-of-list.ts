import { type ChunkedList, chunkedList, itemsOf } from './chunked-list.js'
import { keepingFindings } from './findings.js'
import { lazily } from './lazily.js'
import { withLazy } from './with-lazy.js'

/** Where an object has the list of which its array is made; it is no part of the data. */
const LIST: unique symbol = Symbol('list')

/** The object, and in it by this name an array of the items of a list: it is made when it is first read. Keeps findings. */
export function withArray<Fields extends object, Name extends string, T>(
  fields: Fields,
  name: Name,
  list: () => ChunkedList<T>,
): Fields & Readonly<Record<Name, readonly T[]>> {
  const array = lazily(() => itemsOf(list()))
  return withLazy(keepingFindings(Object.defineProperty(fields, LIST, { value: list })), name, array)
}

/** Whether an array of the object is made of a list. */
export function isOfList(object: object): boolean {
  return LIST in object
}

/** The list of which an array of an object is made, and a new one where there is none; undefined where there is no array. */
export function listBehind<Name extends string, Fields extends Readonly<Record<Name, readonly unknown[]>>>(
  object: Fields,
  name: Name,
): ChunkedList<Fields[Name][number]>
export function listBehind<
  Name extends string,
  Fields extends Readonly<Partial<Record<Name, readonly unknown[] | undefined>>>,
>(object: Fields, name: Name): ChunkedList<NonNullable<Fields[Name]>[number]> | undefined
export function listBehind<T>(
  object: Readonly<Record<string, readonly T[] | undefined>> & { readonly [LIST]?: () => ChunkedList<T> },
  name: string,
): ChunkedList<T> | undefined {
  const list = object[LIST]
  if (list !== undefined) return list()
  const array = object[name]
  return array && chunkedList(array)
}
