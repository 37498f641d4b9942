import { applyTextEdit, findTextEdit, type TextEdit } from '../text/text-edit.js'

/**
 * The fields of an object that differ from an earlier object. The changes are copied to another thread, so only the
 * differences are included.
 */
export interface ChangedFields {
  readonly values: Fields
  /** The edits of texts. */
  readonly edits: Readonly<Record<string, TextEdit>>
}

/** Finds the changed fields of plain data. */
export function findChangedFields(before: object | undefined, after: object): ChangedFields {
  const [known, fields] = [{ ...before } as Fields, after as Fields]
  const values: Record<string, unknown> = {}
  const edits: Record<string, TextEdit> = {}
  // The later object may have fewer optional fields.
  for (const name of new Set([...Object.keys(known), ...Object.keys(fields)])) {
    const [old, value] = [known[name], fields[name]]
    if (typeof value === 'string' && typeof old === 'string') {
      if (value !== old) edits[name] = findTextEdit(old, value)
    } else if (!isEqual(value, old)) values[name] = value
  }
  return { values, edits }
}

/** Returns the object with these changes. Its unchanged fields have the identical values of the earlier object. */
export function applyChangedFields(before: object | undefined, { values, edits }: ChangedFields): object {
  const known = { ...before } as Fields
  const texts = Object.entries(edits).map(([name, edit]) => [name, applyTextEdit(known[name] as string, edit)])
  return { ...known, ...values, ...Object.fromEntries(texts) }
}

/** Compares plain data. Arrays of numbers count as different, because copying them takes less time than comparing. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || ArrayBuffer.isView(a)) return false
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  }
  const [names, fields, others] = [Object.keys(a), a as Fields, b as Fields]
  return names.length === Object.keys(b).length && names.every((name) => isEqual(fields[name], others[name]))
}

type Fields = Readonly<Record<string, unknown>>
