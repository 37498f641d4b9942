/**
 * Which of the known words was probably meant: one that differs only in case, else the one that takes the fewest letters put
 * in, left out, replaced or swapped with their neighbour, the first of several. At most a third of the letters may differ.
 * Undefined where none is near.
 */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.slice(0, LONGEST).toLowerCase()
  let nearest: string | undefined
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (distance >= least) continue
    nearest = candidate
    least = distance
  }
  return nearest
}

/** Longer words are no typing errors, and would take long to compare. */
const LONGEST = 100

/** The optimal string alignment distance. */
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
