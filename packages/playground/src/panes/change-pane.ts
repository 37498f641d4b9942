import { createCopyButton } from '../dom/copy-button.js'
import { createButton, createElement, createRegion } from '../dom/create-element.js'
import type { ChangeGroup } from '../engine/change-groups.js'
import type { ChangeResult } from '../engine/results.js'
import { createChangeGroup, titleOfGroup } from './change-group.js'
import { createDiffSection } from './diff-section.js'
import type { PageContext } from './page-context.js'
import { createLastResult, type Pane } from './pane.js'
import { createServiceFilter } from './service-filter.js'
import { createViewSection } from './view-section.js'

/** Maximum number of change groups to show if no group is selected. */
const MOST_GROUPS = 50

/**
 * Creates the pane with the effects of an edit on packets and on the text of the rules, and with the commands that a
 * node runs.
 */
export function createChangePane(context: PageContext): Pane {
  const { question } = context
  const content = createRegion('scroll', 'Changes')
  const list = createElement('div')
  let groups: readonly ChangeGroup[] = []
  const filter = createServiceFilter('change', () => showGroups())
  const bar = createElement(
    'div',
    { class: 'bar sub' },
    createElement('span', { class: 'grow hint' }, 'The saved objects, compared with the current ones.'),
    filter.setting,
    createButton('Swap', () => {
      const { before, objects } = question.get()
      question.set({ before: objects, objects: before })
    }),
    createButton('Forget “before”', () => question.set({ before: '' })),
  )
  const panel = createElement('div', { class: 'panel' }, bar, content)
  const lastResult = createLastResult(panel)

  function showGroups(): void {
    const title = filter.chosen()
    const chosen = groups.filter((group) => title === '' || titleOfGroup(group) === title)
    const more = chosen.length - MOST_GROUPS
    list.replaceChildren(
      ...chosen.slice(0, MOST_GROUPS).map((group) => createChangeGroup(group, context)),
      ...(more > 0 ? [createElement('p', { class: 'hint' }, `and ${more} more objects: choose a Service`)] : []),
    )
  }

  function show(result: ChangeResult): void {
    const { problem } = result
    if (lastResult.isKept(problem)) return
    bar.hidden = question.get().before === ''
    if (bar.hidden)
      content.replaceChildren(
        createElement(
          'p',
          { class: 'empty' },
          'Nothing to compare with yet. “Keep as before”, above the objects, saves them. After an edit, you see the packets that the new rules handle differently, and the commands for a node.',
        ),
      )
    else if (problem !== '') content.replaceChildren(createElement('p', { class: 'error' }, problem))
    else {
      groups = result.groups
      filter.offer(groups.map(titleOfGroup))
      showGroups()
      content.replaceChildren(
        ...createViewSection('For packets', result.traffic, context, { text: result.trafficText }),
        list,
        ...createDiffSection('Edits', result.edits),
        ...createCommands(result.runs),
      )
    }
  }

  return { panel, update: { rules: lastResult.know, change: show } }
}

/** Creates the commands that a node runs. */
function createCommands(runs: string): readonly HTMLElement[] {
  const heading = createElement('h2', {}, 'Commands for the node ')
  if (runs === '') return [heading, createElement('p', { class: 'empty' }, 'No change: both produce the same rules.')]
  heading.append(createCopyButton('Copy', () => runs))
  return [heading, createElement('pre', { tabindex: 0 }, runs)]
}
