import type { Difference } from '@kube-rules/analyzer/compare'
import type { View } from '@kube-rules/analyzer/view'
import type { TextLine } from '@kube-rules/application/print'
import { formatReference } from '@kube-rules/types'
import { describeEffect, describeSide } from './change-effect.js'
import type { TrafficLine } from './change-severity.js'
import { type DiffLine, diffLines } from './diff-lines.js'
import type { ObjectChanges } from './object-changes.js'

/** The changes of one object, and their effects. */
export interface ChangeGroup {
  /** The changed object: `Service default/web`. Empty if the affected rules belong to no changed Service. */
  readonly object: string
  /** The changes and their effect: `endpoint 10.0.0.4 added: each endpoint 1/3 → 1/4`. */
  readonly sentence: string
  /** Whether the sentence describes the loss of packets. */
  readonly isLost: boolean
  /** The packets that are handled differently. */
  readonly traffic: View
  /** One of these packets. Absent if there are none, or if the packet box cannot express any of them. */
  readonly example?: ChangeExample | undefined
  /** The rules that differ. */
  readonly rules: readonly DiffLine[]
}

/** A packet, as text for the packet box, with its outcomes before and after an edit. */
export interface ChangeExample {
  readonly packet: string
  readonly before: string
  readonly after: string
}

/** A text before and after an edit. */
type Versions<Text> = readonly [before: Text, after: Text]

/** Groups the changes of each object with the packets and rules that they affect. Effects without a Service are last. */
export function groupChanges(
  { changes, newNames }: ObjectChanges,
  traffic: readonly TrafficLine[],
  lines: Versions<readonly TextLine[]>,
  findExample: (difference: Difference) => string,
): readonly ChangeGroup[] {
  const services = new Set(changes.map(({ object }) => object).filter((object) => object.startsWith('Service ')))
  const groupOf = (object: string) => {
    const name = newNames.get(object) ?? object
    return services.has(name) ? name : ''
  }
  const causes = groupBy(changes, ({ object }) => groupOf(object))
  const packets = groupBy(traffic, ({ node }) => {
    return node.objects.map((each) => groupOf(formatReference(each))).find((name) => name !== '') ?? ''
  })
  const rules = groupBy(differingRules(lines), ({ service }) => groupOf(service))
  return [...services, ''].flatMap((object): readonly ChangeGroup[] => {
    const found = packets.get(object) ?? []
    const texts = (causes.get(object) ?? []).map((each) =>
      each.object === object ? each.text : `${each.object} ${each.text}`,
    )
    const differences = found.flatMap(({ difference }) => difference ?? [])
    const effect = describeEffect(differences, texts)
    const group = {
      object,
      sentence: [joinTexts(texts), effect].filter((text) => text !== '').join(': '),
      isLost: effect !== '' && found.some(({ node }) => node.severity === 'error'),
      traffic: found.map(({ node }) => node),
      example: exampleOf(differences, findExample),
      rules: (rules.get(object) ?? []).flatMap(({ rules: differing }) => differing),
    }
    return object === '' && group.sentence === '' && group.traffic.length + group.rules.length === 0 ? [] : [group]
  })
}

/** Maximum number of differences to search for an example. */
const MOST_SEARCHED = 20

function exampleOf(
  differences: readonly Difference[],
  findExample: (difference: Difference) => string,
): ChangeExample | undefined {
  for (const difference of differences.slice(0, MOST_SEARCHED)) {
    const packet = findExample(difference)
    if (packet !== '') return { packet, before: describeSide(difference.a), after: describeSide(difference.b) }
  }
  return undefined
}

/** Maximum number of changes in a sentence. */
const MOST_CHANGES = 4

function joinTexts(texts: readonly string[]): string {
  const more = texts.length - MOST_CHANGES
  return more > 1 ? `${texts.slice(0, MOST_CHANGES).join(', ')} and ${more} more changes` : texts.join(', ')
}

/**
 * Compares the lines of each Service separately, which is faster than comparing the whole text. A Service has not
 * changed if its lines are the same objects in both versions.
 */
function differingRules([before, after]: Versions<readonly TextLine[]>) {
  const changed = [...linesOnlyIn(before, after), ...linesOnlyIn(after, before)]
  const services = new Set(changed.map(({ servicePort }) => serviceOf(servicePort)))
  const isAffected = ({ servicePort }: TextLine) => services.has(serviceOf(servicePort))
  const [old, current] = [linesByService(before.filter(isAffected)), linesByService(after.filter(isAffected))]
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((service) => {
    const [left, right] = [old.get(service) ?? [], current.get(service) ?? []]
    if (left.length === right.length && left.every(({ text }, index) => text === right[index]?.text)) return []
    return [{ service, rules: diffLines(joinLines(left), joinLines(right)).filter(({ text }) => text !== '') }]
  })
}

function linesOnlyIn(lines: readonly TextLine[], others: readonly TextLine[]): readonly TextLine[] {
  const known = new Set(others)
  return lines.filter((line) => !known.has(line))
}

function linesByService(lines: readonly TextLine[]): ReadonlyMap<string, readonly TextLine[]> {
  return groupBy(lines, ({ servicePort }) => serviceOf(servicePort))
}

function joinLines(lines: readonly TextLine[]): string {
  return lines.map(({ text }) => text).join('\n')
}

/** Returns the Service of a service port `default/web:http/TCP`, as in messages. */
function serviceOf(servicePort: string): string {
  const [, name] = /^([^/]+\/[^/:]+)/.exec(servicePort) ?? []
  return name === undefined ? '' : `Service ${name}`
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const existing = groups.get(key)
    if (existing === undefined) groups.set(key, [item])
    else existing.push(item)
  }
  return groups
}
