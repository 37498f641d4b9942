/**
 * `list.map(change)` for lists of service ports and endpoints, of which there are tens of thousands: V8 makes a list of
 * another kind there as soon as it has optimised who calls it, and then optimises all who read such lists a second time.
 */
export function mapList<T, U>(list: readonly T[], change: (item: T, index: number) => U): U[] {
  // A copy has room for its items and no more.
  const changed: unknown[] = list.slice()
  for (let index = 0; index < list.length; index++) changed[index] = change(list[index] as T, index)
  return changed as U[]
}
