import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createListReader } from '../../src/objects/list-reader.js'

/** Reads a text in parts of a length. */
function read(text: string, length = text.length) {
  const items: object[] = []
  const reader = createListReader((item) => items.push(item))
  for (let at = 0; at < text.length; at += length) reader.push(text.slice(at, at + length))
  return { metadata: reader.end(), items }
}

describe('createListReader', () => {
  it.each([1, 2, 7, 1_000])('passes each item, and returns the metadata, of parts of %i characters', (length) => {
    const text = ' {"kind":"List", "items" : [ {"a":"}]\\"{"}, {"b":[{}]} ], "metadata":{"resourceVersion":"7"}}\n'
    expect(read(text, length)).toEqual({
      metadata: { resourceVersion: '7' },
      items: [{ a: '}]"{' }, { b: [{}] }],
    })
  })

  it('passes an item before the text of the next one', () => {
    const items: object[] = []
    const reader = createListReader((item) => items.push(item))
    reader.push('{"items":[{"a":1}')
    expect(items).toEqual([{ a: 1 }])
  })

  it('passes only the items of the list itself', () => {
    const text = '{"metadata":{"items":[{"a":1}]},"a\\"items":[{"a":2}],"b":"items","items":[{"a":3}]}'
    expect(read(text).items).toEqual([{ a: 3 }])
  })

  it.each([
    ['', '[invalidArgument]'],
    ['{"items":[{"a":1}', '[invalidArgument]'],
    ['{"items":[{"a":1}]', '[invalidArgument]'],
    ['{"kind":"Status"}', 'no items'],
    ['{"items":null}', 'no items'],
    ['[{}]', 'no items'],
    ['{"items":[{} {}]}', 'no comma between two items'],
    ['{"items":[{},,{}]}', '[invalidArgument]'],
    ['{"items":[{},]}', 'text between the items'],
    ['{"items":[1]}', 'text between the items'],
    ['{"items":[{"a":}]}', '[invalidArgument]'],
  ])('rejects the text %s', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })

  it('reads what JSON.parse reads, for any list in any parts', () => {
    const anyItem = fc.dictionary(fc.string(), fc.jsonValue())
    const anyList = fc.record({ items: fc.array(anyItem), metadata: fc.dictionary(fc.string(), fc.jsonValue()) })
    fc.assert(
      fc.property(anyList, fc.integer({ min: 1, max: 9 }), fc.constantFrom(undefined, 1), (list, length, indent) => {
        const text = JSON.stringify(list, undefined, indent)
        const { items, metadata } = JSON.parse(text)
        expect(read(text, length)).toEqual({ items, metadata })
      }),
    )
  })
})
