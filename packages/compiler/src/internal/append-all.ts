/** Appends many items to a list. Unlike `push(...items)`, this function is not limited by the stack size. */
export function appendAll<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item)
}
