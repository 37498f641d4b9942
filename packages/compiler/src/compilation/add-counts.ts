import type { PartCounts } from '../targets/mode.js'

/** What parts hold together with others. */
export function addCounts(counts: PartCounts, others: PartCounts): PartCounts {
  return combined(counts, others, 1)
}

/** What parts hold without others. */
export function subtractCounts(counts: PartCounts, others: PartCounts): PartCounts {
  return combined(counts, others, -1)
}

function combined(counts: PartCounts, others: PartCounts, sign: 1 | -1): PartCounts {
  const sums: Record<string, number> & PartCounts = { ...counts }
  for (const what in others) sums[what] = (sums[what] ?? 0) + sign * (others[what] ?? 0)
  return sums
}
