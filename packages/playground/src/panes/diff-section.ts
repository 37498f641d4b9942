import { element } from '../dom/element.js'
import type { DiffLine } from '../engine/diff-lines.js'

/** Maximum number of lines: more take the browser longer than a reader has patience for. */
const MOST_LINES = 2_000

/**
 * Creates a section with the removed and added lines of a text, which screen readers announce as such; empty without
 * lines.
 */
export function createDiffSection(title: string, lines: readonly DiffLine[]): readonly HTMLElement[] {
  if (lines.length === 0) return []
  const shown = lines
    .slice(0, MOST_LINES)
    .map(({ side, text }) => element(ELEMENTS[side], {}, text === '' ? ' ' : text))
  const more = lines.length - shown.length
  return [
    element('h2', {}, title),
    element('div', { class: 'diff', role: 'region', tabindex: 0, 'aria-label': title }, ...shown),
    ...(more > 0 ? [element('p', { class: 'hint' }, `and ${more} more lines`)] : []),
  ]
}

const ELEMENTS = { before: 'del', after: 'ins', both: 'span' } as const
