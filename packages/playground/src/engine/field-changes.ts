import type { LabeledValue } from './list-labeled-values.js'

/** The fields of an object. A list has a field for each item. An empty value represents an empty list. */
export type LabeledValues = readonly LabeledValue[]

/** The default values of omitted fields, by field label. */
const DEFAULTS: Readonly<Record<string, string>> = {
  type: 'ClusterIP',
  protocol: 'TCP',
  'external traffic policy': 'Cluster',
  'internal traffic policy': 'Cluster',
  'session affinity': 'none',
  'traffic distribution': 'none',
  'source range': 'any',
  'IP family policy': 'SingleStack',
  'publish not ready addresses': 'false',
}

/** Matches fields of an endpoint. They are not described as changes if the whole endpoint was added or removed. */
const ENDPOINT_FIELD = /^endpoint \d| of [\d.a-f:]+$/

/** Maximum number of values in a list. */
const MOST_VALUES = 3

/** Describes the changes of fields: `node port 30080 → 30081`, `endpoint 10.0.0.5 removed`. */
export function describeFieldChanges(before: LabeledValues, after: LabeledValues): readonly string[] {
  const [old, current] = [valuesByLabel(before), valuesByLabel(after)]
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((label): readonly string[] => {
    const [left, right] = [old.get(label), current.get(label)]
    const isPart = ENDPOINT_FIELD.test(label)
    if (isPart && (left === undefined || right === undefined)) return []
    return describeChange(label, left ?? NONE, right ?? NONE, isPart ? 'none' : DEFAULTS[label])
  })
}

type Values = ReadonlySet<string>

const NONE: Values = new Set()

function describeChange(label: string, before: Values, after: Values, usual: string | undefined): readonly string[] {
  const [removed, added] = [without(before, after), without(after, before)]
  if (removed === '' && added === '') return []
  const [from, to] = [removed || (before.size === 0 && usual), added || (after.size === 0 && usual)]
  if (from && to) return from === to ? [] : [`${label} ${from} → ${to}`]
  return [removed === '' ? `${label} ${added} added` : `${label} ${removed} removed`]
}

/** Lists the values that are in the first set, but not in the second. */
function without(values: Values, others: Values): string {
  const own = [...values].filter((value) => !others.has(value))
  const more = own.length - MOST_VALUES
  return more > 1 ? `${own.slice(0, MOST_VALUES).join(', ')} and ${more} more` : own.join(', ')
}

function valuesByLabel(fields: LabeledValues): ReadonlyMap<string, Values> {
  const found = new Map<string, Set<string>>()
  for (const [label, value] of fields) {
    const values = found.get(label) ?? new Set()
    if (value !== '') values.add(value)
    found.set(label, values)
  }
  return found
}
