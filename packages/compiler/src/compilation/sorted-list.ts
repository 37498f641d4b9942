/** Negative, zero or positive, as for `Array.sort`. Items of one list are never equal to one another. */
export type Compare<T> = (a: T, b: T) => number

/**
 * A sorted list without some of its items and with others, in any order. Each of these costs a search; the items that
 * stay are copied in stretches and never looked at.
 */
export function replaceSorted<T>(
  list: readonly T[],
  removed: readonly T[],
  added: readonly T[],
  compare: Compare<T>,
): readonly T[] {
  if (removed.length === 0 && added.length === 0) return list
  return withItems(withoutItems(list, removed, compare), added, compare)
}

function withoutItems<T>(list: readonly T[], removed: readonly T[], compare: Compare<T>): readonly T[] {
  const pieces: T[][] = []
  let from = 0
  for (const item of [...removed].sort(compare)) {
    const at = placeOf(item, list, from, compare)
    pieces.push(list.slice(from, at))
    from = at + 1
  }
  pieces.push(list.slice(from))
  return ([] as T[]).concat(...pieces)
}

function withItems<T>(list: readonly T[], added: readonly T[], compare: Compare<T>): readonly T[] {
  const pieces: T[][] = []
  let from = 0
  for (const item of [...added].sort(compare)) {
    const at = placeOf(item, list, from, compare)
    pieces.push(list.slice(from, at), [item])
    from = at
  }
  pieces.push(list.slice(from))
  return ([] as T[]).concat(...pieces)
}

/** The first place from `from` on whose item is not smaller. */
function placeOf<T>(item: T, list: readonly T[], from: number, compare: Compare<T>): number {
  let low = from
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(list[middle] as T, item) < 0) low = middle + 1
    else high = middle
  }
  return low
}
