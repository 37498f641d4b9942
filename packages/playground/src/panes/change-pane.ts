import { createCopyButton } from '../dom/copy-button.js'
import { createElement } from '../dom/create-element.js'
import type { ChangeGroup } from '../engine/change-groups.js'
import type { ChangeResult } from '../engine/results.js'
import { createChangeGroup, titleOfGroup } from './change-group.js'
import { createDiffSection } from './diff-section.js'
import type { PageContext } from './page-context.js'
import { createServiceFilter } from './service-filter.js'
import { createViewSection } from './view-section.js'

export interface ChangePane {
  readonly panel: HTMLElement
  show(answer: ChangeResult): void
}

/** Maximum number of change groups to show if no group is selected. */
const MOST_GROUPS = 50

/**
 * Creates the pane with the effects of an edit on packets and on the text of the rules, and with the commands that a
 * node runs.
 */
export function createChangePane(context: PageContext): ChangePane {
  const { question } = context
  const content = createElement('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Changes' })
  const list = createElement('div')
  let groups: readonly ChangeGroup[] = []
  const filter = createServiceFilter('change', () => showGroups())
  const forget = createElement(
    'button',
    { type: 'button', class: 'small', onclick: () => question.set({ before: '' }) },
    'Forget “before”',
  )
  const back = createElement('button', { type: 'button', class: 'small', onclick: () => swap() }, 'Swap')
  const bar = createElement(
    'div',
    { class: 'bar sub' },
    createElement('span', { class: 'grow hint' }, 'The saved objects, compared with the current ones.'),
    filter.setting,
    back,
    forget,
  )
  const panel = createElement('div', { class: 'panel' }, bar, content)

  function swap(): void {
    const { before, objects } = question.get()
    question.set({ before: objects, objects: before })
  }

  function showGroups(): void {
    const title = filter.chosen()
    const chosen = groups.filter((group) => title === '' || titleOfGroup(group) === title)
    const more = chosen.length - MOST_GROUPS
    list.replaceChildren(
      ...chosen.slice(0, MOST_GROUPS).map((group) => createChangeGroup(group, context)),
      ...(more > 0 ? [createElement('p', { class: 'hint' }, `and ${more} more objects: choose a Service`)] : []),
    )
  }

  function show({ problem, edits, groups: changed, traffic, trafficText, runs }: ChangeResult): void {
    const isKept = question.get().before !== ''
    bar.hidden = !isKept
    if (!isKept) {
      content.replaceChildren(
        createElement(
          'p',
          { class: 'empty' },
          'Nothing to compare with yet. “Keep as before”, above the objects, saves them. After an edit, you see the packets that the new rules handle differently, and the commands for a node.',
        ),
      )
    } else if (problem !== '') content.replaceChildren(createElement('p', { class: 'error' }, problem))
    else {
      groups = changed
      filter.offer(groups.map(titleOfGroup))
      showGroups()
      content.replaceChildren(
        ...createViewSection('For packets', traffic, context, { text: trafficText }),
        list,
        ...createDiffSection('Edits', edits),
        createElement(
          'h2',
          {},
          'Commands for the node ',
          ...(runs === '' ? [] : [createCopyButton('Copy', () => runs)]),
        ),
        runs === ''
          ? createElement('p', { class: 'empty' }, 'No change: both produce the same rules.')
          : createElement('pre', { tabindex: 0 }, runs),
      )
    }
  }

  return { panel, show }
}
