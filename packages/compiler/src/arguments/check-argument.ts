import type { DiagnosticsError } from '@kube-rules/types'
import { createArgumentError } from '@kube-rules/types/internal/diagnostic'
import { findClosestWord } from '@kube-rules/types/internal/find-closest-word'
import { createArgumentTypeError } from '../model/reading/argument-error.js'
import { type Fields, isObject } from '../model/reading/read-field.js'

// Each check throws DiagnosticsError (`invalidArgument`) for an invalid argument. The error contains the name of the
// argument, the path of the invalid part, and the expected value.

/** Checks that an argument is an object other than a list. Returns the fields of the object. */
export function checkObject(name: string, value: unknown, expected: string, path?: string): Fields {
  if (isObject(value)) return value
  throw createArgumentTypeError(name, value, expected, path)
}

/** The options of a function, each with its type. The function itself checks an option of any other type. */
export type OptionTypes<Options> = { readonly [option in keyof Required<Options>]: 'string' | 'boolean' | 'other' }

/**
 * Checks that an options argument is an object with no other options than the given ones, and that its options have the
 * given types. Callers replace an absent argument with its default before this check.
 */
export function checkOptions<Options extends object>(value: unknown, types: OptionTypes<Options>): Fields {
  const fields = checkObject('options', value, 'an object with options')
  const known = Object.keys(types)
  for (const key of Object.keys(fields)) if (!known.includes(key)) throw createUnknownKeyError('options', key, known)
  for (const [option, type] of Object.entries<'string' | 'boolean' | 'other'>(types))
    if (type !== 'other') checkOptionalFields('options', fields, [option], type)
  return fields
}

/**
 * Checks that no field of an argument has a misspelled name. Fields with names that are not similar to a known one are
 * accepted, because callers may pass objects with additional fields.
 */
export function checkSpelling(name: string, fields: Fields, known: readonly string[]): void {
  for (const key of Object.keys(fields)) {
    if (!known.includes(key) && findClosestWord(key, known) !== undefined) throw createUnknownKeyError(name, key, known)
  }
}

function createUnknownKeyError(name: string, key: string, known: readonly string[]): DiagnosticsError {
  const closest = findClosestWord(key, known)
  const message = closest === undefined ? 'unknown field' : `unknown field; did you mean ${closest}?`
  return createArgumentError(name, message, known.length === 0 ? 'no fields' : `one of ${known.join(', ')}`, key)
}

/** Checks that an argument is a list. Returns the items of the list; a hole in the list becomes undefined. */
export function checkList(name: string, value: unknown, expected: string, path?: string): readonly unknown[] {
  if (Array.isArray(value)) return Array.from<unknown>(value)
  throw createArgumentTypeError(name, value, expected, path)
}

/** Checks that an argument is a string. */
export function checkString(name: string, value: unknown, expected: string): void {
  if (typeof value !== 'string') throw createArgumentTypeError(name, value, expected)
}

/** Checks that an argument, or the part of it at `path`, is a list of strings. */
export function checkStrings(name: string, value: unknown, expected: string, path?: string): void {
  const list = checkList(name, value, expected, path)
  const wrong = list.findIndex((item) => typeof item !== 'string')
  if (wrong < 0) return
  const item = list[wrong]
  throw createArgumentTypeError(name, item, 'a text', `${path ?? ''}[${wrong}]`, expected)
}

/** Returns the items of an argument that is any iterable. A string is rejected, although strings are iterable. */
export function checkIterable<T>(name: string, value: Iterable<T>, expected: string): readonly T[] {
  const isIterable = typeof value === 'object' && value !== null && Symbol.iterator in value
  if (!isIterable) throw createArgumentTypeError(name, value, 'a list', undefined, expected)
  return Array.from(value)
}

/** Returns the items of an argument that is an iterable of strings. */
export function checkStringIterable(name: string, value: Iterable<string>, expected: string): readonly string[] {
  const items = checkIterable(name, value, expected)
  checkStrings(name, items, expected)
  return items
}

/** Checks that an argument is a Map. */
export function checkMap(name: string, value: unknown, expected: string): void {
  if (!(value instanceof Map)) throw createArgumentTypeError(name, value, 'a Map', undefined, expected)
}

/** Checks that an optional field of an argument is absent or a Map. */
export function checkOptionalMap(name: string, fields: Fields, path: string, expected: string): void {
  if (fields[path] === undefined || fields[path] instanceof Map) return
  throw createArgumentTypeError(name, fields[path], 'a Map', path, expected)
}

/** Checks that an argument is a function. */
export function checkFunction(name: string, value: unknown, expected: string): void {
  if (typeof value !== 'function') throw createArgumentTypeError(name, value, expected)
}

/** Checks that an argument, or the part of it at `path`, is one of the given strings. */
export function checkChoice(name: string, value: unknown, choices: readonly unknown[], path?: string): void {
  if (choices.includes(value)) return
  const expected = choices.length > 1 ? `one of ${choices.join(', ')}` : String(choices[0])
  throw createArgumentTypeError(name, value, expected, path)
}

/** Checks that an optional field of an argument is absent or one of the given strings. */
export function checkOptionalChoice(name: string, fields: Fields, path: string, choices: readonly unknown[]): void {
  if (fields[path] !== undefined) checkChoice(name, fields[path], choices, path)
}

/** Checks that optional fields of an argument are absent or have the given types. */
export function checkOptionalFields(
  name: string,
  fields: Fields,
  paths: readonly string[],
  type: 'string' | 'boolean',
): void {
  for (const path of paths) {
    const value = fields[path]
    if (value === undefined || typeof value === type) continue
    const expected = type === 'string' ? 'a text' : 'true or false'
    throw createArgumentTypeError(name, value, expected, path)
  }
}

/** Checks that an optional field of an argument is absent or a positive integer. */
export function checkOptionalCount(name: string, fields: Fields, path: string): void {
  const value = fields[path]
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)) return
  const expected = 'a positive whole number'
  throw createArgumentTypeError(name, value, expected, path)
}
