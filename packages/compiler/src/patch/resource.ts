/** One thing a state consists of: something with a name that is created, changed and deleted as such. */
export interface Resource {
  /** Unique within a state. */
  readonly id: string
  /** The ids of what must exist as long as this does; sorted by code unit, one for each use. */
  readonly refs: readonly string[]
  /** Plain data. An array is an ordered list and is compared item by item, anything else as a whole. */
  readonly value: unknown
}

/** A state: resources by id. The order of the map has no meaning. */
export type Resources = ReadonlyMap<string, Resource>

/** Whether two pieces of plain data are equal. A property that is undefined counts as absent. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (!isObject(a) || !isObject(b)) return false
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b)
  return !Array.isArray(b) && sameFields(a, b)
}

/** The value before where the two are equal: then what was made of it is still good. */
export function kept<T>(value: T, before: T | undefined): T {
  return before !== undefined && sameValue(value, before) ? before : value
}

/** A text that two pieces of plain data share if and only if they are equal. */
export function valueText(value: unknown): string {
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined'
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`
  const fields = definedKeys(value).sort()
  return `{${fields.map((key) => `${JSON.stringify(key)}:${valueText(value[key])}`).join(',')}}`
}

export function sameResource(a: Resource, b: Resource): boolean {
  return a === b || (a.id === b.id && sameValue(a.refs, b.refs) && sameValue(a.value, b.value))
}

type Fields = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => sameValue(item, b[index]))
}

/** Goes over the fields without a list of their names: it is asked of every rule of a large cluster. */
function sameFields(a: Fields, b: Fields): boolean {
  for (const key in a) if (a[key] !== b[key] && !sameValue(a[key], fieldOf(b, key))) return false
  for (const key in b) if (b[key] !== undefined && fieldOf(a, key) === undefined) return false
  return true
}

function fieldOf(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}

function definedKeys(fields: Fields): string[] {
  return Object.keys(fields).filter((key) => fields[key] !== undefined)
}
