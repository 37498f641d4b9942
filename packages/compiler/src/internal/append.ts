/** Adds many items to a list: `push(...items)` takes only as many as the stack holds. */
export function append<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item)
}
