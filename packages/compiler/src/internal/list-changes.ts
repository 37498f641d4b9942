/** A replacement of items in a list. */
export interface ListReplacement<T> {
  /** The index of the replaced items in the old list. */
  readonly at: number
  /** The number of removed items. */
  readonly removed: number
  readonly added: readonly T[]
}

/** Applies replacements to a list. The replacements must be in ascending order and disjoint. */
export function replaceItems<T>(list: readonly T[], replacements: readonly ListReplacement<T>[]): readonly T[] {
  if (replacements.length === 0) return list
  if (replacements.every(({ removed, added }) => removed === added.length)) return overwriteItems(list, replacements)
  const [first, second] = replacements
  if (first !== undefined && second === undefined) {
    return list.slice(0, first.at).concat(first.added, list.slice(first.at + first.removed))
  }
  const result: T[] = []
  let from = 0
  for (const { at, removed, added } of replacements) {
    pushRange(result, list, from, at)
    pushRange(result, added, 0, added.length)
    from = at + removed
  }
  pushRange(result, list, from, list.length)
  return result.slice()
}

/** Applies replacements that preserve the length of the list, which is several times as fast. */
function overwriteItems<T>(list: readonly T[], replacements: readonly ListReplacement<T>[]): readonly T[] {
  const result = list.slice()
  for (const { at, added } of replacements) {
    for (let index = 0; index < added.length; index++) result[at + index] = added[index] as T
  }
  return result
}

/** Returns `before` if it has the same items. Otherwise, returns a copy of `items`, which the caller may change later. */
export function copyUnlessSame<T>(before: readonly T[], items: readonly T[]): readonly T[] {
  const isSame = before.length === items.length && countCommonStart(before, items) === items.length
  return isSame ? before : items.slice()
}

export interface DifferingItems<T> {
  /** The length of the common prefix of both lists. */
  readonly start: number
  readonly before: readonly T[]
  readonly after: readonly T[]
}

/** Returns the parts of two lists between their common prefix and suffix. */
export function trimCommonEnds<T>(before: readonly T[], after: readonly T[]): DifferingItems<T> {
  const start = countCommonStart(before, after)
  const limit = Math.min(before.length, after.length) - start
  const [lastBefore, lastAfter] = [before.length - 1, after.length - 1]
  let end = 0
  while (end < limit && Object.is(before[lastBefore - end], after[lastAfter - end])) end++
  return { start, before: before.slice(start, before.length - end), after: after.slice(start, after.length - end) }
}

/** Counts the identical items from the start. `Object.is` is faster than `===`, which first checks for numbers. */
function countCommonStart<T>(before: readonly T[], after: readonly T[]): number {
  const limit = Math.min(before.length, after.length)
  let start = 0
  while (start < limit && Object.is(before[start], after[start])) start++
  return start
}

/**
 * Returns the index of the first item with a nonnegative result of `compare`. All items with a negative result must
 * come first.
 */
export function findLowerBound<T>(list: readonly T[], compare: (item: T) => number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(list[middle] as T) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function pushRange<T>(list: T[], items: readonly T[], from: number, to: number): void {
  for (let index = from; index < to; index++) list.push(items[index] as T)
}
