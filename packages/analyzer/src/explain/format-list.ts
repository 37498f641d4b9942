/** Maximum number of listed items. */
const SHOWN = 3

/** Formats the first items of a list: `a, b, c and 4 more`. */
export function formatList(words: readonly string[]): string {
  const shown = words.slice(0, SHOWN).join(', ')
  return words.length <= SHOWN ? shown : `${shown} and ${words.length - SHOWN} more`
}
