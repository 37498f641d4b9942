/** The same with what its functions give in their place, to compare: blocks may make their rules only when asked. */
export function plain(value: unknown): unknown {
  if (typeof value === 'function') return plain(value())
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
}
