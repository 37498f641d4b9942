/** Negative, zero or positive, as for `Array.sort`. */
export type Compare<T> = (a: T, b: T) => number

/**
 * A sorted list without some items and with others, which need not be sorted. Items that stay are not compared with one
 * another: the cost is one step for each, and a search for each added one.
 */
export function replaceSorted<T>(
  list: readonly T[],
  removed: ReadonlySet<T>,
  added: readonly T[],
  compare: Compare<T>,
): readonly T[] {
  if (removed.size === 0 && added.length === 0) return list
  const kept = removed.size === 0 ? list : list.filter((item) => !removed.has(item))
  if (added.length === 0) return kept
  const pieces: T[][] = []
  let from = 0
  for (const item of [...added].sort(compare)) {
    const at = placeOf(item, kept, from, compare)
    pieces.push(kept.slice(from, at), [item])
    from = at
  }
  pieces.push(kept.slice(from))
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
