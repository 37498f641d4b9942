import { createCopyButton } from '../dom/copy-button.js'
import { element } from '../dom/element.js'
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
 * Creates the pane with the effects of an edit: on packets, on the text of the rules, and the commands that a node
 * runs.
 */
export function createChangePane(context: PageContext): ChangePane {
  const { question } = context
  const content = element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Changes' })
  const list = element('div')
  let groups: readonly ChangeGroup[] = []
  const filter = createServiceFilter('change', () => showGroups())
  const forget = element(
    'button',
    { type: 'button', class: 'small', onclick: () => question.set({ before: '' }) },
    'Forget “before”',
  )
  const back = element('button', { type: 'button', class: 'small', onclick: () => swap() }, 'Swap')
  const bar = element(
    'div',
    { class: 'bar sub' },
    element('span', { class: 'grow hint' }, 'The saved objects, compared with the current ones.'),
    filter.setting,
    back,
    forget,
  )
  const panel = element('div', { class: 'panel' }, bar, content)

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
      ...(more > 0 ? [element('p', { class: 'hint' }, `and ${more} more objects: choose a Service`)] : []),
    )
  }

  function show({ problem, edits, groups: changed, traffic, trafficText, runs }: ChangeResult): void {
    const isKept = question.get().before !== ''
    bar.hidden = !isKept
    if (!isKept) {
      content.replaceChildren(
        element(
          'p',
          { class: 'empty' },
          'Nothing to compare with yet. “Keep as before”, above the objects, saves them. After an edit, you see the packets that the new rules handle differently, and the commands for a node.',
        ),
      )
    } else if (problem !== '') content.replaceChildren(element('p', { class: 'error' }, problem))
    else {
      groups = changed
      filter.offer(groups.map(titleOfGroup))
      showGroups()
      content.replaceChildren(
        ...createViewSection('For packets', traffic, context, { text: trafficText }),
        list,
        ...createDiffSection('Edits', edits),
        element('h2', {}, 'Commands for the node ', ...(runs === '' ? [] : [createCopyButton('Copy', () => runs)])),
        runs === ''
          ? element('p', { class: 'empty' }, 'No change: both produce the same rules.')
          : element('pre', { tabindex: 0 }, runs),
      )
    }
  }

  return { panel, show }
}
