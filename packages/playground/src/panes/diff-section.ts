import { createElement, createRegion } from '../dom/create-element.js'
import type { DiffLine } from '../engine/diff-lines.js'

/** The maximum number of lines to show. A browser takes too long to show more lines. */
const MOST_LINES = 2_000

/**
 * Creates a section with the removed and added lines of a text. Screen readers announce lines as removed or added.
 * Returns no elements if there are no lines. A wide pane shows removed and added lines side by side. `of` is the
 * subject of the text for screen readers.
 */
export function createDiffSection(
  title: string,
  lines: readonly DiffLine[],
  { heading = 'h2', of = '' }: { readonly heading?: 'h2' | 'h3'; readonly of?: string } = {},
): readonly HTMLElement[] {
  if (lines.length === 0) return []
  const more = Math.max(0, lines.length - MOST_LINES)
  return [
    createElement(heading, {}, title),
    createRegion(
      'diff',
      of === '' ? title : `${title} of ${of}`,
      ...createDiffRows(lines.slice(0, MOST_LINES)).flatMap(createRow),
    ),
    ...(more > 0 ? [createElement('p', { class: 'hint' }, `and ${more} more lines`)] : []),
  ]
}

/**
 * A line of the old text and its replacement in the new text. One side is absent if a line is only removed or only
 * added.
 */
export interface DiffRow {
  readonly before?: string | undefined
  readonly after?: string | undefined
  readonly both?: string | undefined
}

/** Pairs each removed line with the added line that replaces it. */
export function createDiffRows(lines: readonly DiffLine[]): readonly DiffRow[] {
  const rows: DiffRow[] = []
  for (let at = 0; at < lines.length; ) {
    const removed = textsFrom(lines, at, 'before')
    const added = textsFrom(lines, at + removed.length, 'after')
    if (removed.length + added.length === 0) rows.push({ both: lines[at]?.text })
    for (let row = 0; row < Math.max(removed.length, added.length); row++) {
      rows.push({ before: removed[row], after: added[row] })
    }
    at += Math.max(1, removed.length + added.length)
  }
  return rows
}

function textsFrom(lines: readonly DiffLine[], from: number, side: DiffLine['side']): readonly string[] {
  let to = from
  while (lines[to]?.side === side) to++
  return lines.slice(from, to).map(({ text }) => text)
}

function createRow({ before, after, both }: DiffRow): readonly HTMLElement[] {
  if (both !== undefined)
    return [createElement('span', {}, both), createElement('span', { 'aria-hidden': 'true' }, both)]
  // A line with a replacement is shown as changed, not as removed.
  const state = before !== undefined && after !== undefined ? 'replaced' : undefined
  return [
    ...(before === undefined ? [] : [createElement('del', { class: state }, before)]),
    ...(after === undefined ? [] : [createElement('ins', { class: state }, after)]),
  ]
}
