/** Reports whether two pieces of plain data are equal. An undefined property is treated as absent. */
export function isDeepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (!isObject(a) || !isObject(b)) return false
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b)
  return !Array.isArray(b) && sameFields(a, b)
}

/** Returns the old value if both values are equal. Data that is cached for the old object then remains usable. */
export function reuseIfEqual<T>(value: T, before: T | undefined): T {
  return before !== undefined && isDeepEqual(value, before) ? before : value
}

/** Serializes plain data; two values have the same string if and only if they are equal. */
export function serializeValue(value: unknown): string {
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined'
  if (Array.isArray(value)) return `[${value.map(serializeValue).join(',')}]`
  const fields = definedKeys(value).sort()
  return `{${fields.map((key) => `${JSON.stringify(key)}:${serializeValue(value[key])}`).join(',')}}`
}

type Fields = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => isDeepEqual(item, b[index]))
}

/**
 * Compares the own fields of two objects without creating a list of field names, because this function runs for every
 * rule of a large cluster.
 */
function sameFields(a: Fields, b: Fields): boolean {
  for (const key in a) if (Object.hasOwn(a, key) && !isDeepEqual(a[key], fieldOf(b, key))) return false
  for (const key in b) if (fieldOf(b, key) !== undefined && fieldOf(a, key) === undefined) return false
  return true
}

function fieldOf(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}

function definedKeys(fields: Fields): string[] {
  return Object.keys(fields).filter((key) => fields[key] !== undefined)
}
