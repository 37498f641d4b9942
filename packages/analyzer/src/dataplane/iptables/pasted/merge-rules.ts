/**
 * Merges two selections of one list into one without duplicates, in an order compatible with both. Between two common
 * items, those of the first selection precede those of the second.
 */
export function mergeRules<T>(first: readonly T[], other: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const places = new Map(first.map((item, index) => [keyOf(item), index]))
  const merged: T[] = []
  let waiting: T[] = []
  let next = 0
  for (const item of other) {
    const at = places.get(keyOf(item))
    if (at === undefined) waiting.push(item)
    else if (at >= next) {
      merged.push(...first.slice(next, at), ...waiting, item)
      waiting = []
      next = at + 1
    }
  }
  return [...merged, ...first.slice(next), ...waiting]
}
