/**
 * Suggests the known word that was probably meant. Prefers a word that differs only in case, and then a word that is the
 * only one with this beginning, such as `nodeName` for `node`. Otherwise returns the first word with the fewest
 * insertions, deletions, replacements and swaps of adjacent letters. At most a third of the letters may differ. Returns
 * undefined if no word is similar.
 */
export function findClosestWord(word: string, known: Iterable<string>): string | undefined {
  const expected = word.slice(0, LONGEST).toLowerCase()
  const words = [...known]
  const longer = words.filter((candidate) => candidate.toLowerCase().startsWith(expected))
  if (expected.length >= SHORTEST_BEGINNING && longer.length === 1) return longer[0]
  let nearest: string | undefined
  let least = Math.max(1, Math.floor(expected.length / 3)) + 1
  for (const candidate of words) {
    const distance = editDistance(expected, candidate.toLowerCase())
    if (distance >= least) continue
    nearest = candidate
    least = distance
  }
  return nearest
}

/**
 * The maximum number of characters to compare. Longer words are not typing errors, and their comparison would take
 * long.
 */
const LONGEST = 100

/** Shorter beginnings are rather typing errors of a short word. */
const SHORTEST_BEGINNING = 4

/** Computes the optimal string alignment distance. */
function editDistance(a: string, b: string): number {
  let last: readonly number[] = []
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let line = 1; line <= a.length; line++) {
    const next = [line]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[line - 1] === b[column - 1]
      const isSwapped = a[line - 1] === b[column - 2] && a[line - 2] === b[column - 1]
      next[column] = Math.min(
        (row[column] as number) + 1,
        (next[column - 1] as number) + 1,
        (row[column - 1] as number) + (isSame ? 0 : 1),
        isSwapped ? (last[column - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    last = row
    row = next
  }
  return row[b.length] as number
}
