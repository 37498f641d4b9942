/** Appends many items to a list, because `push(...items)` is limited by the stack size. */
export function appendAll<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item)
}
