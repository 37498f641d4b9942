/** How many of a list are named. */
const SHOWN = 3

/** `a, b, c and 4 more`: the first few. */
export function listText(words: readonly string[]): string {
  const shown = words.slice(0, SHOWN).join(', ')
  return words.length <= SHOWN ? shown : `${shown} and ${words.length - SHOWN} more`
}
