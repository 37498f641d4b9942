import { copyButton } from '../dom/copy-button.js'
import { element } from '../dom/element.js'
import type { ChangeAnswer } from '../engine/answers.js'
import type { DiffLine } from '../engine/line-diff.js'
import type { PageContext } from './page-context.js'
import { viewSection } from './view-section.js'

export interface ChangePane {
  readonly panel: HTMLElement
  show(answer: ChangeAnswer): void
}

/** Shows the removed and added lines of the objects; screen readers announce which is which. */
function editsSection(edits: readonly DiffLine[]): readonly HTMLElement[] {
  if (edits.length === 0) return []
  const lines = edits.map(({ side, text }) => element(ELEMENTS[side], {}, text === '' ? ' ' : text))
  const label = 'What was edited'
  return [
    element('h2', {}, label),
    element('div', { class: 'diff', role: 'region', tabindex: 0, 'aria-label': label }, ...lines),
  ]
}

const ELEMENTS = { before: 'del', after: 'ins', both: 'span' } as const

/** Creates the pane with the effect of an edit on packets and on the text, and the commands that a node runs. */
export function createChangePane(context: PageContext): ChangePane {
  const { question } = context
  const content = element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'What changes' })
  const forget = element(
    'button',
    { type: 'button', class: 'small', onclick: () => question.set({ before: '' }) },
    'Forget “before”',
  )
  const back = element('button', { type: 'button', class: 'small', onclick: () => swap() }, 'Swap')
  const bar = element(
    'div',
    { class: 'bar sub' },
    element('span', { class: 'grow hint' }, 'The objects as you kept them, against what they are now.'),
    back,
    forget,
  )
  const panel = element('div', { class: 'panel' }, bar, content)

  function swap(): void {
    const { before, objects } = question.get()
    question.set({ before: objects, objects: before })
  }

  function show({ problem, edits, traffic, trafficText, runs }: ChangeAnswer): void {
    const isKept = question.get().before !== ''
    bar.hidden = !isKept
    if (!isKept) {
      content.replaceChildren(
        element(
          'p',
          { class: 'empty' },
          'Nothing to compare with yet. “Keep as before”, above the objects, remembers them; then edit: here is with which packets the new rules do otherwise, and what a node has to run.',
        ),
      )
    } else if (problem !== '') content.replaceChildren(element('p', { class: 'error' }, problem))
    else {
      content.replaceChildren(
        ...viewSection('For packets', traffic, context, trafficText),
        ...editsSection(edits),
        element('h2', {}, 'What the node runs ', ...(runs === '' ? [] : [copyButton('Copy', () => runs)])),
        runs === ''
          ? element('p', { class: 'empty' }, 'Nothing: both come to the same rules.')
          : element('pre', { tabindex: 0 }, runs),
      )
    }
  }

  return { panel, show }
}
