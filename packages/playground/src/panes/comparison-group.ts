import { createElement } from '../dom/create-element.js'
import { createTree } from '../dom/tree.js'
import type { ComparisonGroup } from '../engine/comparison-groups.js'
import { createRuleKey } from '../engine/rule-line-numbers.js'
import { createTreeOptions, type PageContext } from './page-context.js'
import { createTraceButton } from './trace-button.js'

/** Maximum numbers of lines and of Service names to show in one group. */
const MOST_LINES = 20
const MOST_NAMES = 6

/** Creates the groups that contain packets of a Service, or all groups if `service` is empty. */
export function createComparisonGroups(
  groups: readonly ComparisonGroup[],
  service: string,
  context: PageContext,
): readonly HTMLElement[] {
  return groups.flatMap((group) => {
    const packets = group.packets.filter(({ services }) => service === '' || services.includes(service))
    return packets.length === 0 ? [] : [createGroup({ ...group, packets }, context)]
  })
}

function createGroup(group: ComparisonGroup, context: PageContext): HTMLElement {
  const { packets, isLost } = group
  const title = titleOfComparisonGroup(group)
  const names = servicesOf(group)
  const families = [...new Set(packets.map(({ family }) => family))].join(' and ')
  // Prefers a packet from a pod, the node or outside, which is easier to read than a packet from an unusual address.
  const examples = packets.map(({ example }) => example).filter((text) => text !== '')
  const packet = examples.find((text) => /^from [a-z]+ /.test(text)) ?? examples[0]
  const more = packets.length - MOST_LINES
  return createElement(
    'section',
    { class: 'change-group', 'aria-label': title },
    createElement(
      'h2',
      { class: isLost ? 'lost' : undefined },
      title,
      createElement('span', { class: 'hint' }, ` ${families}`),
    ),
    ...(packet === undefined ? [] : [createElement('p', {}, 'Example: ', createTraceButton(packet, packet, context))]),
    ...(names.length === 0 ? [] : [createElement('p', {}, few(names))]),
    createTree(
      packets.slice(0, MOST_LINES).map(({ node }) => node),
      createTreeOptions(title, context, createRuleKey),
    ),
    ...(more > 0 ? [createElement('p', { class: 'hint' }, `and ${more} more: choose a Service`)] : []),
  )
}

function few(names: readonly string[]): string {
  const more = names.length - MOST_NAMES
  return more > 1 ? `${names.slice(0, MOST_NAMES).join(', ')} and ${more} more` : names.join(', ')
}

/** Returns the heading of a group: `2 Services lose packets: delivered → dropped`. */
export function titleOfComparisonGroup(group: ComparisonGroup): string {
  const count = servicesOf(group).length
  if (count === 0) return `Packets that are not for a Service: ${group.effect}`
  return `${count} ${count === 1 ? 'Service' : 'Services'} ${group.verbs[count === 1 ? 0 : 1]}: ${group.effect}`
}

function servicesOf({ packets }: ComparisonGroup): readonly string[] {
  return [...new Set(packets.flatMap(({ services }) => services))].sort()
}
