/** A line of one of two texts, or of both. */
export interface DiffLine {
  readonly side: 'before' | 'after' | 'both'
  readonly text: string
}

/** How many pairs of lines are compared: of texts that differ in more, all lines between go and all come. */
const MOST_PAIRS = 4_000_000

/** So many lines of both stand around each change. */
const CONTEXT = 2

/** What an edit did to a text, line by line: as few lines as may be go and come. Lines far from any change are left out. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const most = Math.min(old.length, now.length)
  let start = 0
  while (start < most && old[start] === now[start]) start++
  let end = 0
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  const changed = changedLines(old.slice(start, old.length - end), now.slice(start, now.length - end))
  if (changed.length === 0) return []
  const around = (lines: readonly string[]) => lines.map((text): DiffLine => ({ side: 'both', text }))
  const [head, tail] = [old.slice(0, start), end === 0 ? [] : old.slice(-end)]
  return [...around(head.slice(-CONTEXT)), ...nearChanges(changed), ...around(tail.slice(0, CONTEXT))]
}

/** By the longest list of lines that both have in their order. */
function changedLines(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  if (old.length * now.length > MOST_PAIRS) return [...old.map(gone), ...now.map(come)]
  const width = now.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  const at = (i: number, j: number) => common[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length && j < now.length) {
    const text = old[i] ?? ''
    if (text === now[j]) {
      lines.push({ side: 'both', text })
      i++
      j++
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      lines.push(gone(text))
      i++
    } else {
      lines.push(come(now[j] ?? ''))
      j++
    }
  }
  return [...lines, ...old.slice(i).map(gone), ...now.slice(j).map(come)]
}

function gone(text: string): DiffLine {
  return { side: 'before', text }
}

function come(text: string): DiffLine {
  return { side: 'after', text }
}

/** Without the lines that are far from changes, for which one line stands. */
function nearChanges(lines: readonly DiffLine[]): readonly DiffLine[] {
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ side }) => side !== 'both')
  return lines.flatMap((line, index) => {
    if (isNear(index)) return [line]
    return isNear(index - 1) ? [{ side: 'both', text: '…' }] : []
  })
}
