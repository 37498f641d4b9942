import { createLazyFieldAdder, type LazyFields, lazySourceOf } from './memo.js'

type List<T> = () => readonly T[]

type FieldsOfList<T> = Readonly<Record<string, (list: List<T>) => unknown>>

/**
 * Adds the property `name` to `fields`: an array of the items of `list`. The array and the properties in `more`, which
 * are computed from the list, are created on first access.
 */
export function withLazyArray<
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
  const compute = { [name]: (source: List<T>) => source(), ...more }
  return createLazyFieldAdder(compute)(fields, list) as Fields & Readonly<Record<Name, readonly T[]>> & LazyFields<More>
}

/** Reports whether the object has an array property created by `withLazyArray`. */
export function hasLazyArray(object: object): boolean {
  return lazySourceOf<List<unknown>>(object) !== undefined
}

/**
 * Returns the list of an array property created by `withLazyArray`. For an ordinary array property, returns a new list.
 * Returns undefined if the object does not have the property.
 */
export function backingListOf<Name extends string, Fields extends Readonly<Record<Name, readonly unknown[]>>>(
  object: Fields,
  name: Name,
): readonly Fields[Name][number][]
export function backingListOf<
  Name extends string,
  Fields extends Readonly<Partial<Record<Name, readonly unknown[] | undefined>>>,
>(object: Fields, name: Name): readonly NonNullable<Fields[Name]>[number][] | undefined
export function backingListOf<T>(
  object: Readonly<Record<string, readonly T[] | undefined>>,
  name: string,
): readonly T[] | undefined {
  const list = lazySourceOf<List<T>>(object)
  if (list !== undefined) return list()
  const array = object[name]
  return array?.slice()
}
