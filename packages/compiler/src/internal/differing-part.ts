export interface DifferingPart<T> {
  /** How many items stand before it in both lists. */
  readonly start: number
  readonly before: readonly T[]
  readonly after: readonly T[]
}

/** Two lists without the identical items at their starts and at their ends. Plain loops: lists are long and mostly alike. */
export function differingPart<T>(before: readonly T[], after: readonly T[]): DifferingPart<T> {
  const limit = Math.min(before.length, after.length)
  let start = 0
  while (start < limit && before[start] === after[start]) start++
  let end = 0
  while (end < limit - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return { start, before: before.slice(start, before.length - end), after: after.slice(start, after.length - end) }
}
