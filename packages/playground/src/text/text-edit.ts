/** The replacement of one part of a text. */
export interface TextEdit {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** Finds the edit from one text to another: it replaces the text between the common prefix and the common suffix. */
export function findTextEdit(before: string, after: string): TextEdit {
  const most = Math.min(before.length, after.length)
  const start = lengthWhile(most, (from, to) => before.slice(from, to) === after.slice(from, to))
  const [last, lastAfter] = [before.length, after.length]
  const end = lengthWhile(
    most - start,
    (from, to) => before.slice(last - to, last - from) === after.slice(lastAfter - to, lastAfter - from),
  )
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) }
}

export function applyTextEdit(text: string, { from, to, insert }: TextEdit): string {
  return text.slice(0, from) + insert + text.slice(to)
}

/**
 * Returns the length of the longest prefix, up to a limit, that satisfies a predicate. Checks the text piece by piece.
 * The first piece that does not satisfy the predicate is checked character by character.
 */
function lengthWhile(limit: number, holds: (from: number, to: number) => boolean): number {
  let length = 0
  for (const step of [PIECE, 1]) {
    while (length + step <= limit && holds(length, length + step)) length += step
  }
  return length
}

const PIECE = 4096
