/** The number of values that aliases may add to a text in any case. */
const MINIMUM = 10_000

/** The maximum number of values with aliases, as a multiple of the values that are written in the text. */
const MAXIMUM_FACTOR = 10

/** The largest number of values in a message. */
const MAX_COUNTED = 1_000_000_000

/**
 * Returns a message if the aliases of a parsed YAML text multiply its values out of proportion. Otherwise the rules, which
 * have no aliases, would need memory out of proportion to the text.
 */
export function findAliasExpansion(text: string, value: unknown): string | undefined {
  if (!text.includes('*') || !text.includes('&')) return undefined
  const { written, expanded } = countValues(value)
  const limit = Math.max(MINIMUM, written * MAXIMUM_FACTOR)
  if (expanded <= limit) return undefined
  const count = expanded > MAX_COUNTED ? `more than ${MAX_COUNTED}` : expanded
  return `aliases expand ${written} values to ${count} (expected at most ${limit})`
}

interface Frame {
  readonly value: object
  readonly items: readonly unknown[]
  next: number
  expanded: number
}

/** Counts values: each once, and as often as aliases repeat it. A value within itself counts once. */
function countValues(root: unknown): { readonly written: number; readonly expanded: number } {
  const sizes = new Map<object, number>()
  let written = 0
  const frames: Frame[] = [{ value: [], items: [root], next: 0, expanded: 0 }]
  for (;;) {
    const frame = frames.at(-1) as Frame
    const item = frame.items[frame.next++]
    if (frame.next > frame.items.length) {
      frames.pop()
      const outer = frames.at(-1)
      if (outer === undefined) return { written, expanded: frame.expanded }
      sizes.set(frame.value, frame.expanded)
      outer.expanded += frame.expanded
    } else if (typeof item !== 'object' || item === null) {
      written++
      frame.expanded++
    } else if (sizes.has(item)) {
      frame.expanded += sizes.get(item) ?? 0
    } else {
      written++
      sizes.set(item, 1)
      frames.push({ value: item, items: Object.values(item), next: 0, expanded: 1 })
    }
  }
}
