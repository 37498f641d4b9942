/** Removes each item as often as the item occurs in `taken`. The remaining items keep their order. */
export function subtractItems<T>(items: readonly T[], taken: readonly T[]): T[] {
  if (items.length === 0 || taken.length === 0) return [...items]
  const counts = new Map<T, number>()
  for (const item of taken) counts.set(item, (counts.get(item) ?? 0) + 1)
  return items.filter((item) => {
    const count = counts.get(item) ?? 0
    if (count > 0) counts.set(item, count - 1)
    return count === 0
  })
}
