/**
 * Two selections from one list, as one: each once, in an order that is that of both. What stands between two that both have
 * comes in the order of the selections.
 */
export function mergeRules<T>(first: readonly T[], other: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const places = new Map(first.map((item, index) => [keyOf(item), index]))
  const merged: T[] = []
  let next = 0
  for (const item of other) {
    const at = places.get(keyOf(item))
    if (at === undefined) {
      merged.push(item)
      continue
    }
    if (at < next) continue
    merged.push(...first.slice(next, at + 1))
    next = at + 1
  }
  // What only the other has and nothing follows that both have comes last.
  const tail = merged.length - tailLength(merged, other, keyOf, places)
  return [...merged.slice(0, tail), ...first.slice(next), ...merged.slice(tail)]
}

function tailLength<T>(
  merged: readonly T[],
  other: readonly T[],
  keyOf: (item: T) => string,
  places: ReadonlyMap<string, number>,
): number {
  let length = 0
  while (length < merged.length && length < other.length && !places.has(keyOf(merged[merged.length - 1 - length] as T)))
    length++
  return length
}
