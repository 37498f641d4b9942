/** A field of an object and its value as text. Each item of a list of texts is a field with the same name. */
export type LabeledValue = readonly [name: string, value: string]

/** Longer values are truncated. */
const MOST_CHARACTERS = 60

/** Lists the fields of a value. An item of a list has its name in brackets: `spec.ports[http].port`. */
export function listLabeledValues(value: unknown, path: string): readonly LabeledValue[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => listItem(item, path, index))
  if (typeof value !== 'object') return [[path, truncated(String(value))]]
  return Object.entries(value).flatMap(([name, field]) =>
    listLabeledValues(field, path === '' ? name : `${path}.${name}`),
  )
}

function listItem(item: unknown, path: string, index: number): readonly LabeledValue[] {
  if (typeof item !== 'object' || item === null) return [[path, String(item)]]
  const { name } = item as { readonly name?: unknown }
  return listLabeledValues(item, `${path}[${typeof name === 'string' ? name : index}]`)
}

function truncated(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}…`
}
