import { structuredPatch } from 'diff'

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

const SIDES: Readonly<Record<string, DiffLine['side']>> = { '-': 'before', '+': 'after', ' ': 'both' }

/**
 * Returns the lines that an edit removes and adds, with unchanged lines around them. `…` represents the omitted lines
 * between two changes.
 */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const options = { context: CONTEXT, maxEditLength: MOST_EDITS }
  const patch = structuredPatch('', '', `${before}\n`, `${after}\n`, undefined, undefined, options)
  if (patch === undefined) return [...linesOf(before, 'before'), ...linesOf(after, 'after')]
  return patch.hunks.flatMap(({ lines }, index): readonly DiffLine[] => [
    ...(index === 0 ? [] : [{ side: 'both', text: '…' } as const]),
    ...lines.map((line) => ({ side: SIDES[line.slice(0, 1)] ?? 'both', text: line.slice(1) })),
  ])
}

function linesOf(text: string, side: DiffLine['side']): readonly DiffLine[] {
  return text.split('\n').map((line) => ({ side, text: line }))
}
