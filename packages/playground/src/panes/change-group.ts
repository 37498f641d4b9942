import { element } from '../dom/element.js'
import type { ChangeGroup } from '../engine/change-groups.js'
import { createDiffSection } from './diff-section.js'
import type { PageContext } from './page-context.js'
import { createViewSection } from './view-section.js'

/** The heading of effects that belong to no changed Service. */
const OTHERS = 'The node and all Services'

/** Returns the heading of a group. */
export function titleOfGroup({ object }: Pick<ChangeGroup, 'object'>): string {
  return object === '' ? OTHERS : object
}

/**
 * Creates a section with the changes of an object: its changed fields, then the packets and rules that the changes
 * affect.
 */
export function createChangeGroup(group: ChangeGroup, context: PageContext): HTMLElement {
  const { sentence, isLost, traffic, rules } = group
  const title = titleOfGroup(group)
  return element(
    'section',
    { class: 'change-group', 'aria-label': title },
    element('h2', {}, title),
    element('p', { class: isLost ? 'effect lost' : 'effect' }, sentence || 'Other objects cause these effects.'),
    ...createViewSection('Packets', traffic, context, { heading: 'h3' }),
    ...createDiffSection('Rules', rules, { heading: 'h3', of: title }),
    ...(traffic.length + rules.length === 0
      ? [element('p', { class: 'hint' }, 'No effect on packets and rules.')]
      : []),
  )
}
