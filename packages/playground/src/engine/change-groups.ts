import type { View } from '@kube-rules/analyzer/view'
import type { TextLine } from '@kube-rules/application/print'
import { formatReference } from '@kube-rules/types'
import { type DiffLine, diffLines } from './diff-lines.js'
import type { ObjectChange } from './object-changes.js'

/** The changes of one object, and their effects. */
export interface ChangeGroup {
  /** The changed object: `Service default/web`; empty for rules that belong to no changed Service. */
  readonly object: string
  readonly causes: readonly ObjectChange[]
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
  traffic: View,
  lines: Versions<readonly TextLine[]>,
): readonly ChangeGroup[] {
  const services = new Set(changes.map(({ object }) => object).filter((object) => object.startsWith('Service ')))
  const groupOf = (object: string) => (services.has(object) ? object : '')
  const causes = groupBy(changes, ({ object }) => groupOf(object))
  const packets = groupBy(traffic, ({ objects }) => {
    const names = objects.map(formatReference)
    return groupOf(names.find((name) => services.has(name)) ?? '')
  })
  const rules = groupBy(differingRules(lines), ({ service }) => groupOf(service))
  return [...services, ''].flatMap((object): readonly ChangeGroup[] => {
    const group = {
      object,
      causes: causes.get(object) ?? [],
      traffic: packets.get(object) ?? [],
      rules: (rules.get(object) ?? []).flatMap(({ rules: differing }) => differing),
    }
    return object === '' && group.causes.length + group.traffic.length + group.rules.length === 0 ? [] : [group]
  })
}

/** Compares the lines of each Service, which takes less time than the whole text. */
function differingRules([before, after]: Versions<readonly TextLine[]>) {
  const [old, current] = [textsByService(before), textsByService(after)]
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((service) => {
    const texts = [old.get(service) ?? [], current.get(service) ?? []].map((each) => each.join('\n'))
    const [left = '', right = ''] = texts
    return left === right ? [] : [{ service, rules: diffLines(left, right).filter(({ text }) => text !== '') }]
  })
}

function textsByService(lines: readonly TextLine[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  const services = new Map<string, string>()
  for (const { text, servicePort } of lines) {
    const service = services.get(servicePort) ?? serviceOf(servicePort)
    services.set(servicePort, service)
    const known = found.get(service)
    if (known === undefined) found.set(service, [text])
    else known.push(text)
  }
  return found
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
    const known = found.get(key)
    if (known === undefined) found.set(key, [item])
    else known.push(item)
  }
  return found
}
