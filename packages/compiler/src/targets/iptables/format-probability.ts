/**
 * Formats `1/count` as `%0.10f` of Go does: the nearest decimal, and of two equally near ones the one with an even last
 * digit, such as `0.0004882812` for 2048.
 */
export function formatProbability(count: number, decimals: number): string {
  const text = (1 / count).toFixed(decimals)
  // Of all shares, only this power of two is halfway between two decimals. toFixed rounds it up.
  if (count !== 2 ** (decimals + 1)) return text
  const lower = (1 / count).toFixed(decimals + 1).slice(0, -1)
  return Number(lower.at(-1)) % 2 === 0 ? lower : text
}
