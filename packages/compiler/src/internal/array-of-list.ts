import { type ChunkedList, chunkedList, itemsOf } from './chunked-list.js'
import { lazily } from './lazily.js'
import { withLazy } from './with-lazy.js'

/** Where an object has the list of which its array is made; it is no part of the data. */
const LIST: unique symbol = Symbol('list')

/** The object, and in it by this name an array of the items of a list: it is made when it is first read. */
export function withArray<Fields extends object, Name extends string, T>(
  fields: Fields,
  name: Name,
  list: () => ChunkedList<T>,
): Fields & Readonly<Record<Name, readonly T[]>> {
  const array = lazily(() => itemsOf(list()))
  return withLazy(Object.defineProperty(fields, LIST, { value: list }), name, array)
}

/** The list of which an array of an object is made, and a new one where there is none; undefined where there is no array. */
export function listBehind<Name extends string, T>(
  object: Readonly<Record<Name, readonly T[]>>,
  name: Name,
): ChunkedList<T>
export function listBehind<Name extends string, T>(
  object: Readonly<Partial<Record<Name, readonly T[] | undefined>>>,
  name: Name,
): ChunkedList<T> | undefined
export function listBehind<T>(
  object: Readonly<Record<string, readonly T[] | undefined>> & { readonly [LIST]?: () => ChunkedList<T> },
  name: string,
): ChunkedList<T> | undefined {
  const list = object[LIST]
  if (list !== undefined) return list()
  const array = object[name]
  return array && chunkedList(array)
}
