import { expect, it, vi } from 'vitest'
import { lazyFields } from '../../src/internal/lazy-fields.js'

it('is told once, when it is first read, of its own source', () => {
  const tell = vi.fn((source: { readonly name: string }) => [source.name])
  const withNames = lazyFields({ names: tell })
  const [one, two] = [withNames({ id: 1 }, { name: 'a' }), withNames({ id: 2 }, { name: 'b' })]
  expect(tell).not.toHaveBeenCalled()
  expect([one.names, two.names, one.names]).toEqual([['a'], ['b'], ['a']])
  expect(one.names).toBe(one.names)
  expect(tell).toHaveBeenCalledTimes(2)
})

it('is data like any other, in its place, and two are apart', () => {
  const withEnds = lazyFields({
    first: ({ text }: { readonly text: string }) => text.slice(0, 1),
    last: ({ text }: { readonly text: string }) => text.slice(-1),
  })
  const withWhole = lazyFields({ whole: ({ text }: { readonly text: string }) => [text] })
  const [one, two] = [withWhole(withEnds({ id: 1 }, { text: 'az' }), { text: 'a' }), withEnds({}, { text: 'by' })]
  expect(JSON.stringify(one)).toBe('{"id":1,"first":"a","last":"z","whole":["a"]}')
  expect(structuredClone(one)).toEqual({ id: 1, first: 'a', last: 'z', whole: ['a'] })
  expect({ ...Object.freeze(two) }).toEqual({ first: 'b', last: 'y' })
})
