/**
 * Computes `list.map(change)` for lists of service ports and endpoints with tens of thousands of items. In optimized
 * callers of `map`, V8 would create a list with another elements kind, and would have to reoptimize every function that
 * reads such lists.
 */
export function mapList<T, U>(list: readonly T[], change: (item: T, index: number) => U): U[] {
  // A copy has exactly the required capacity.
  const changed: unknown[] = list.slice()
  for (let index = 0; index < list.length; index++) changed[index] = change(list[index] as T, index)
  return changed as U[]
}
