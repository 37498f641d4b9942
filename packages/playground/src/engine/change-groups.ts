import type { View } from '@kube-rules/analyzer/view'
import type { TextLine } from '@kube-rules/application/print'
import { formatReference } from '@kube-rules/types'
import { describeEffect } from './change-effect.js'
import type { TrafficLine } from './change-severity.js'
import { type DiffLine, diffLines } from './diff-lines.js'
import type { ObjectChange } from './object-changes.js'

/** The changes of one object, and their effects. */
export interface ChangeGroup {
  /** The changed object: `Service default/web`; empty for rules that belong to no changed Service. */
  readonly object: string
  readonly causes: readonly ObjectChange[]
  /** The effect on packets: `each endpoint 1/3 → 1/4`; empty without an effect. */
  readonly effect: string
  /** The packets that are handled differently. */
  readonly traffic: View
  /** The rules that differ. */
  readonly rules: readonly DiffLine[]
}

/** Two versions of a text. */
type Versions<Text> = readonly [before: Text, after: Text]

/** Groups changes of objects with the packets and rules that they affect; effects without a Service are last. */
export function groupChanges(
  changes: readonly ObjectChange[],
  traffic: readonly TrafficLine[],
  lines: Versions<readonly TextLine[]>,
): readonly ChangeGroup[] {
  const services = new Set(changes.map(({ object }) => object).filter((object) => object.startsWith('Service ')))
  const groupOf = (object: string) => (services.has(object) ? object : '')
  const causes = groupBy(changes, ({ object }) => groupOf(object))
  const packets = groupBy(traffic, ({ node }) => {
    const names = node.objects.map(formatReference)
    return groupOf(names.find((name) => services.has(name)) ?? '')
  })
  const rules = groupBy(differingRules(lines), ({ service }) => groupOf(service))
  return [...services, ''].flatMap((object): readonly ChangeGroup[] => {
    const found = packets.get(object) ?? []
    const group = {
      object,
      causes: causes.get(object) ?? [],
      effect: describeEffect(found.flatMap(({ difference }) => difference ?? [])),
      traffic: found.map(({ node }) => node),
      rules: (rules.get(object) ?? []).flatMap(({ rules: differing }) => differing),
    }
    return object === '' && group.causes.length + group.traffic.length + group.rules.length === 0 ? [] : [group]
  })
}

/** Compares the lines of each Service separately, which is faster than comparing the whole text. */
function differingRules([before, after]: Versions<readonly TextLine[]>) {
  const [old, current] = [linesByService(before), linesByService(after)]
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((service) => {
    const [left, right] = [old.get(service) ?? [], current.get(service) ?? []]
    if (left.length === right.length && left.every(({ text }, index) => text === right[index]?.text)) return []
    return [{ service, rules: diffLines(joinLines(left), joinLines(right)).filter(({ text }) => text !== '') }]
  })
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
  const found = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const existing = found.get(key)
    if (existing === undefined) found.set(key, [item])
    else existing.push(item)
  }
  return found
}
