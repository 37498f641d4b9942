import { addTypeError, type DiagnosticCollector } from '../reading/diagnostic-collector.js'
import { isAbsent, readList, readObject, warnAboutUnknownField } from '../reading/read-field.js'
import { parseDuration } from './duration.js'

/**
 * Reads one field with unknown content. Returns the default value for a missing field (undefined or null). For a field
 * of the wrong type, reports an error at `path` and returns the default value.
 */
export type FieldReader<T> = (collector: DiagnosticCollector, path: string, value: unknown) => T

export function stringField(fallback = ''): FieldReader<string> {
  return scalar('a string', (value) => typeof value === 'string', fallback)
}

export function booleanField(fallback = false): FieldReader<boolean> {
  return scalar('true or false', (value) => typeof value === 'boolean', fallback)
}

/** Reads an integer in the range of a signed 32-bit number, like `int32` in Go. */
export function integerField(fallback = 0): FieldReader<number> {
  return scalar('a whole number of 32 bits', (value) => typeof value === 'number' && value === value >> 0, fallback)
}

export function numberField(): FieldReader<number> {
  return scalar('a number', (value) => Number.isFinite(value), 0)
}

/** Reads a Go duration in text form. Returns milliseconds. */
export function durationField(fallback = 0): FieldReader<number> {
  const readWritten = stringField()
  return (collector, path, value) => {
    if (isAbsent(value)) return fallback
    const written = readWritten(collector, path, value)
    if (typeof value !== 'string') return fallback
    const milliseconds = parseDuration(written)
    if (milliseconds === undefined) addTypeError(collector, path, value, 'a duration such as 1m30s')
    return milliseconds ?? fallback
  }
}

/**
 * Reads a Go duration in text form, or an integer number of nanoseconds. Returns milliseconds. Mirrors
 * `TimeOrMetaDuration`.
 */
export function durationOrNanosecondsField(): FieldReader<number> {
  const readDuration = durationField()
  return (collector, path, value) =>
    Number.isInteger(value) ? Number(value) / 1e6 : readDuration(collector, path, value)
}

/** Returns a field reader that uses `field` and replaces an empty value or zero with `fallback`. */
export function withFallback<T>(field: FieldReader<T>, fallback: T): FieldReader<T> {
  return (collector, path, value) => field(collector, path, value) || fallback
}

/** Reads a list. The path of an item is `path[index]`. */
export function listField<T>(item: FieldReader<T>): FieldReader<readonly T[]> {
  return (collector, path, value) =>
    Array.from(readList(collector, path, value), (entry, index) => item(collector, `${path}[${index}]`, entry))
}

/** Reads a map from names to booleans. */
export function booleanMapField(): FieldReader<ReadonlyMap<string, boolean>> {
  return (collector, path, value) => {
    const switches = new Map<string, boolean>()
    for (const [name, entry] of Object.entries(readObject(collector, path, value))) {
      if (typeof entry === 'boolean') switches.set(name, entry)
      else addTypeError(collector, `${path}.${name}`, entry, 'true or false')
    }
    return switches
  }
}

/** Reads an object with exactly the fields of `T`. For any other field, reports a warning. */
export function objectField<T extends object>(
  fields: { readonly [K in keyof T]-?: FieldReader<T[K]> },
): FieldReader<T> {
  const known = new Map<string, FieldReader<unknown>>(Object.entries(fields))
  return (collector, path, value) => {
    const given = new Map(Object.entries(readObject(collector, path, value)))
    for (const name of given.keys()) {
      if (!known.has(name)) warnAboutUnknownField(collector, join(path, name), name, known.keys())
    }
    return Object.fromEntries(
      Array.from(known, ([name, field]) => [name, field(collector, join(path, name), given.get(name))]),
    ) as T
  }
}

/** Accepts any value. */
export const anyField: FieldReader<unknown> = (_findings, _path, value) => value

function scalar<T>(expected: string, accepts: (value: unknown) => boolean, fallback: T): FieldReader<T> {
  return (collector, path, value) => {
    if (accepts(value)) return value as T
    if (!isAbsent(value)) addTypeError(collector, path, value, expected)
    return fallback
  }
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
