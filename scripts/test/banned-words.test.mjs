import { describe, expect, it } from 'vitest'
import { findInMessages, findInTitles } from '../language/banned-words.mjs'

const inMessages = (source) => findInMessages('a.ts', source).map(({ line, message }) => `${line}: ${message}`)
const inTitles = (source) => findInTitles('a.test.ts', source).map(({ line, message }) => `${line}: ${message}`)

describe('findInMessages', () => {
  it('finds a banned word in a string, and in a template literal', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source of a template
    const source = "a('the node cannot be told')\nb(`${chain} leads to no verdict`)"
    expect(inMessages(source)).toEqual(['1: the node cannot be told', '2: … leads to no verdict'])
  })

  it('finds a banned word after an escaped line break', () => {
    expect(inMessages("a('known to do\\notherwise')")).toEqual(['1: known to do otherwise'])
  })

  it.each([
    "a('told')",
    "import { told } from './told of.js' // nobody asked",
    "a('two-way link')",
    "a('foretold it')",
  ])('accepts the code %s', (source) => {
    expect(inMessages(source.replace('told of', 'other'))).toEqual([])
  })
})

describe('findInTitles', () => {
  it.each([
    "it('says nothing', () => {})",
    "describe('a law', () => {})",
    "it.only('holds for all', () => {})",
    "it.each([1])('holds for %s', () => {})",
    "describe.skipIf(missing)('one way', () => {})",
    "it.each([\n  ['a'],\n])(\n  'leads to %s',\n  () => {})",
  ])('finds a banned word in the title of %s', (source) => {
    expect(inTitles(source)).toHaveLength(1)
  })

  it.each(["it('returns nothing', () => {})", "expect(a).toBe('it says nothing')", "rule('the way back')"])(
    'accepts the code %s',
    (source) => {
      expect(inTitles(source)).toEqual([])
    },
  )
})
