/** An object of which nothing is known but that it has fields. */
export type Fields = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a field is left out, as `undefined` or as the `null` of JSON. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}
