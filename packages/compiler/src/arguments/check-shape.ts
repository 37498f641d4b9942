import { createArgumentTypeError } from '../model/reading/argument-error.js'
import { type Fields, isObject } from '../model/reading/read-field.js'

/**
 * The expected shape of an argument: a type, a list with items of one shape, or an object with fields. A field with the
 * name `name?` may be absent.
 */
export type Shape = TypeName | readonly [Shape] | { readonly [field: string]: Shape }

type TypeName = 'text' | 'number' | 'boolean' | 'object' | 'function'

const TYPES: {
  readonly [name in TypeName]: { readonly isValid: (value: unknown) => boolean; readonly expected: string }
} = {
  text: { isValid: (value) => typeof value === 'string', expected: 'a text' },
  number: { isValid: (value) => typeof value === 'number', expected: 'a number' },
  boolean: { isValid: (value) => typeof value === 'boolean', expected: 'true or false' },
  object: { isValid: isObject, expected: 'an object' },
  function: { isValid: (value) => typeof value === 'function', expected: 'a function' },
}

/**
 * Checks the shape of an argument that should be a result of another function of this library. Throws DiagnosticsError
 * (`invalidArgument`) for the first part that does not have the shape. `expected` describes the argument as a whole.
 */
export function checkShape(name: string, value: unknown, shape: Shape, expected: string): void {
  checkPart({ name, expected }, value, shape, '')
}

interface CheckedArgument {
  readonly name: string
  readonly expected: string
}

function checkPart(argument: CheckedArgument, value: unknown, shape: Shape, path: string): void {
  if (typeof shape === 'string') {
    if (!TYPES[shape].isValid(value)) reject(argument, value, TYPES[shape].expected, path)
  } else if (isListShape(shape)) {
    if (!Array.isArray(value)) reject(argument, value, 'a list', path)
    else for (const [index, item] of value.entries()) checkPart(argument, item, shape[0], `${path}[${index}]`)
  } else if (typeof value === 'object' && value !== null) {
    const fields = value as Fields
    for (const [key, part] of Object.entries(shape)) {
      const field = key.replace('?', '')
      if (field !== key && fields[field] === undefined) continue
      checkPart(argument, fields[field], part, path === '' ? field : `${path}.${field}`)
    }
  } else reject(argument, value, 'an object', path)
}

function isListShape(shape: Exclude<Shape, string>): shape is readonly [Shape] {
  return Array.isArray(shape)
}

function reject({ name, expected }: CheckedArgument, value: unknown, type: string, path: string): never {
  const wanted = path === '' ? expected : type
  throw createArgumentTypeError(name, value, wanted, path === '' ? undefined : path, expected)
}
