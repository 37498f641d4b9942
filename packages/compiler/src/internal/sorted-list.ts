import { type ChunkedList, itemAt, placeOf, type Replacement, replaceItems } from './chunked-list.js'

/** Negative, zero or positive, as for `Array.sort`. Items of one list are never equal to one another. */
export type Compare<T> = (a: T, b: T) => number

/**
 * What takes a sorted list to one without some of its items and with others, in any order: ascending. Each item costs a
 * search; those that stay are not looked at.
 */
export function replacementsIn<T extends Order, Order>(
  list: ChunkedList<T>,
  removed: readonly Order[],
  added: readonly T[],
  compare: Compare<Order>,
): readonly Replacement<T>[] {
  const byPlace = new Map<number, { removed: number; added: T[] }>()
  const replacementAt = (item: Order) => {
    const at = placeOf(list, (each) => compare(each, item))
    const replacement = byPlace.get(at) ?? { removed: 0, added: [] }
    byPlace.set(at, replacement)
    return replacement
  }
  for (const item of removed) replacementAt(item).removed = 1
  for (const item of [...added].sort(compare)) replacementAt(item).added.push(item)
  return Array.from(byPlace, ([at, replacement]) => ({ at, ...replacement })).sort((a, b) => a.at - b.at)
}

/** The same replacements in a list that has something else in each place. */
export function mapReplacements<T, U>(
  replacements: readonly Replacement<T>[],
  itemOf: (item: T) => U,
): readonly Replacement<U>[] {
  return replacements.map(({ at, removed, added }) => ({ at, removed, added: added.map(itemOf) }))
}

/** A sorted list without some of its items and with others, in any order. */
export function replaceSorted<T>(
  list: ChunkedList<T>,
  removed: readonly T[],
  added: readonly T[],
  compare: Compare<T>,
): ChunkedList<T> {
  return replaceItems(list, replacementsIn(list, removed, added, compare))
}

/** The item of a sorted list to which `compare` says 0; it says a negative number to items before that one. */
export function findSorted<T>(list: ChunkedList<T>, compare: (item: T) => number): T | undefined {
  const item = itemAt(list, placeOf(list, compare))
  return item !== undefined && compare(item) === 0 ? item : undefined
}
