/**
 * Formats `1/count` like `%0.10f` in Go: rounds to the nearest decimal number; a tie is rounded to an even last digit,
 * for example `0.0004882812` for 2048.
 */
export function formatProbability(count: number, decimals: number): string {
  const text = (1 / count).toFixed(decimals)
  // `1 / count` is halfway between two decimal numbers only for this power of two. `toFixed` would round it up.
  if (count !== 2 ** (decimals + 1)) return text
  const lower = (1 / count).toFixed(decimals + 1).slice(0, -1)
  return Number(lower.at(-1)) % 2 === 0 ? lower : text
}
