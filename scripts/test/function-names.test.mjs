import { describe, expect, it } from 'vitest'
import { findUnknownFunctions } from '../language/function-names.mjs'

const find = (source) => findUnknownFunctions('a.test.ts', source).map(({ line, message }) => `${line}: ${message}`)

describe('findUnknownFunctions', () => {
  it.each([
    ["// a\ndescribe('formatName of a port', () => {})", '2: the file does not use formatName'],
    ["describe.skipIf(isMissing)('formatName', () => {})", '1: the file does not use formatName'],
    ["describe('formatName', () => {})\ndescribe('formatName', () => {})", '1: the file does not use formatName'],
  ])('finds the unknown function in %j', (source, message) => {
    expect(find(source)).toContain(message)
  })

  it.each([
    "describe('formatName', () => formatName())",
    "describe('names of ports', () => {})",
    "it('formatName', () => {})",
    "rule('formatName')",
  ])('accepts %j', (source) => {
    expect(find(source)).toEqual([])
  })
})
