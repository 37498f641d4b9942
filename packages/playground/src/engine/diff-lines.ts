/** A line that is in one of two texts or in both texts. */
export interface DiffLine {
  readonly side: 'before' | 'after' | 'both'
  readonly text: string
}

/**
 * The maximum number of edits. If there are more edits, all lines of the old text count as removed, and all lines of
 * the new text count as added.
 */
const MOST_EDITS = 1_000

/** The number of unchanged lines around each change. */
const CONTEXT = 2

/**
 * Returns the lines that an edit removes and adds, with unchanged lines around them. `…` represents the omitted lines
 * between two changes.
 */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, current] = [before.split('\n'), after.split('\n')]
  const shared = Math.min(old.length, current.length)
  let start = 0
  while (start < shared && old[start] === current[start]) start++
  let end = 0
  while (end < shared - start && old.at(-1 - end) === current.at(-1 - end)) end++
  const changed = compareLines(old.slice(start, old.length - end), current.slice(start, current.length - end))
  if (changed === undefined) return [...linesOf(old, 'before'), ...linesOf(current, 'after')]
  const [head, tail] = [old.slice(Math.max(0, start - CONTEXT), start), old.slice(old.length - end).slice(0, CONTEXT)]
  return nearChanges([...linesOf(head, 'both'), ...changed, ...linesOf(tail, 'both')])
}

function linesOf(lines: readonly string[], side: DiffLine['side']): readonly DiffLine[] {
  return lines.map((text) => ({ side, text }))
}

/**
 * The number of old lines that are read on each diagonal. A diagonal is the difference between the numbers of lines that
 * are read from the two texts. Its index is `diagonal + MOST_EDITS + 1`, which is never negative.
 */
type Diagonals = Int32Array

function readOn(diagonals: Diagonals, diagonal: number): number {
  return diagonals[diagonal + MOST_EDITS + 1] ?? 0
}

/**
 * Finds the shortest edit from one list of lines to another, with the algorithm of Myers. Undefined if the edit is
 * longer than the maximum.
 */
function compareLines(old: readonly string[], current: readonly string[]): readonly DiffLine[] | undefined {
  const diagonals = new Int32Array(2 * MOST_EDITS + 3)
  /** The diagonals before each edit. */
  const history: Diagonals[] = []
  for (let edits = 0; edits <= Math.min(MOST_EDITS, old.length + current.length); edits++) {
    history.push(diagonals.slice())
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const isAdded = isAddition(diagonals, diagonal, edits)
      let index = isAdded ? readOn(diagonals, diagonal + 1) : readOn(diagonals, diagonal - 1) + 1
      const isCommon = () => index < old.length && old[index] === current[index - diagonal]
      while (isCommon()) index++
      diagonals[diagonal + MOST_EDITS + 1] = index
      if (index >= old.length && index - diagonal >= current.length) return toLines(old, current, history)
    }
  }
  return undefined
}

/** Reports whether the edit before a diagonal adds a line. Otherwise, the edit removes a line. */
function isAddition(diagonals: Diagonals, diagonal: number, edits: number): boolean {
  if (diagonal === -edits) return true
  return diagonal !== edits && readOn(diagonals, diagonal - 1) < readOn(diagonals, diagonal + 1)
}

/** Follows the edits from the last to the first. Before the first edit, both texts have the same lines. */
function toLines(
  old: readonly string[],
  current: readonly string[],
  history: readonly Diagonals[],
): readonly DiffLine[] {
  const lines: DiffLine[] = []
  let [index, diagonal] = [old.length, old.length - current.length]
  for (const [edits, diagonals] of [...history.entries()].reverse()) {
    const isAdded = isAddition(diagonals, diagonal, edits)
    const previous = diagonal + (isAdded ? 1 : -1)
    const from = edits === 0 ? 0 : readOn(diagonals, previous)
    const start = edits === 0 || isAdded ? from : from + 1
    while (index > start) lines.push({ side: 'both', text: old[--index] ?? '' })
    if (edits === 0) break
    lines.push(
      isAdded ? { side: 'after', text: current[from - previous] ?? '' } : { side: 'before', text: old[from] ?? '' },
    )
    index = from
    diagonal = previous
  }
  return lines.reverse()
}

function nearChanges(lines: readonly DiffLine[]): readonly DiffLine[] {
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ side }) => side !== 'both')
  return lines.flatMap((line, index): readonly DiffLine[] => {
    if (isNear(index)) return [line]
    return index > 0 && isNear(index - 1) && lines.slice(index).some(({ side }) => side !== 'both')
      ? [{ side: 'both', text: '…' }]
      : []
  })
}
