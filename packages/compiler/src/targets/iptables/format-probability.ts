/**
 * Formats `1/count` like `%0.10f` in Go: rounds to the nearest decimal, and ties to an even last digit, as in
 * `0.0004882812` for 2048.
 */
export function formatProbability(count: number, decimals: number): string {
  const text = (1 / count).toFixed(decimals)
  // Only for this power of two is the share halfway between two decimals, and toFixed would round it up.
  if (count !== 2 ** (decimals + 1)) return text
  const lower = (1 / count).toFixed(decimals + 1).slice(0, -1)
  return Number(lower.at(-1)) % 2 === 0 ? lower : text
}
