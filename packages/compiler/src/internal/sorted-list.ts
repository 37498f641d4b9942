import { findLowerBound, type ListReplacement, replaceItems } from './list-changes.js'

/**
 * Compares two items of a list. Returns a negative number, zero or a positive number, like a compare function for
 * `Array.sort`. No two items of a list are equal.
 */
export type CompareFunction<T> = (a: T, b: T) => number

/**
 * Returns the replacements that remove some items of a sorted list and insert new items. The removed and the new items
 * may be in any order. The replacements are in ascending order. Each removed or new item costs one search; unchanged
 * items cost nothing.
 */
export function computeReplacements<T extends Order, Order>(
  list: readonly T[],
  removed: readonly Order[],
  added: readonly T[],
  compare: CompareFunction<Order>,
): readonly ListReplacement<T>[] {
  const sorted = [...added].sort(compare)
  if (list.length === 0) return sorted.length === 0 ? [] : [{ at: 0, removed: 0, added: sorted }]
  const byPlace = new Map<number, { removed: number; added: T[] }>()
  const replacementAt = (item: Order) => {
    const at = findLowerBound(list, (each) => compare(each, item))
    const replacement = byPlace.get(at) ?? { removed: 0, added: [] }
    byPlace.set(at, replacement)
    return replacement
  }
  for (const item of removed) replacementAt(item).removed = 1
  for (const item of sorted) replacementAt(item).added.push(item)
  return Array.from(byPlace, ([at, replacement]) => ({ at, ...replacement })).sort((a, b) => a.at - b.at)
}

/**
 * Applies a function to the added items of replacements. The new replacements are for a list that contains the
 * converted items at the same positions.
 */
export function mapReplacements<T, U>(
  replacements: readonly ListReplacement<T>[],
  itemOf: (item: T) => U,
): readonly ListReplacement<U>[] {
  return replacements.map(({ at, removed, added }) => ({ at, removed, added: added.map(itemOf) }))
}

/** Removes some items of a sorted list and inserts new items. The removed and the new items may be in any order. */
export function replaceSortedItems<T>(
  list: readonly T[],
  removed: readonly T[],
  added: readonly T[],
  compare: CompareFunction<T>,
): readonly T[] {
  return replaceItems(list, computeReplacements(list, removed, added, compare))
}

/**
 * Finds the item of a sorted list for which `compare` returns 0. For items before this item, `compare` must return a
 * negative number.
 */
export function findSortedItem<T>(list: readonly T[], compare: (item: T) => number): T | undefined {
  const item = list[findLowerBound(list, compare)]
  return item !== undefined && compare(item) === 0 ? item : undefined
}
