import { createElement } from '../dom/create-element.js'
import type { ChangeExample, ChangeGroup } from '../engine/change-groups.js'
import { createDiffSection } from './diff-section.js'
import type { PageContext } from './page-context.js'
import { createTraceButton } from './trace-button.js'
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
  const { sentence, isLost, traffic, rules, example } = group
  const title = titleOfGroup(group)
  const note = noteOf(group)
  return createElement(
    'section',
    { class: 'change-group', 'aria-label': title },
    createElement('h2', {}, title),
    createElement('p', { class: isLost ? 'effect lost' : 'effect' }, sentence || 'Other objects cause these effects.'),
    ...(example === undefined ? [] : [createExample(example, context)]),
    ...createViewSection('Packets', traffic, context, { heading: 'h3' }),
    ...createDiffSection('Rules', rules, { heading: 'h3', of: title }),
    ...(note === '' ? [] : [createElement('p', { class: 'hint' }, note)]),
  )
}

/** Returns the reason why a group has no example; empty if it has an example. */
function noteOf({ example, traffic, rules }: ChangeGroup): string {
  if (example !== undefined) return ''
  if (traffic.length > 0) return 'No example: the packet box cannot express these packets.'
  return rules.length === 0
    ? 'No effect on packets and rules.'
    : 'No example: the new rules handle all packets as before.'
}

function createExample({ packet, before, after }: ChangeExample, context: PageContext): HTMLElement {
  return createElement(
    'dl',
    { class: 'example' },
    createElement('dt', {}, 'Example'),
    createElement('dd', {}, createTraceButton(packet, packet, context)),
    createElement('dt', {}, 'Before'),
    createElement('dd', {}, before),
    createElement('dt', {}, 'After'),
    createElement('dd', {}, after),
  )
}
