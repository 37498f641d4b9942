import { expect, it, vi } from 'vitest'
import { lazyField } from '../../src/internal/lazy-field.js'

it('is told once, when it is first read, of its own source', () => {
  const tell = vi.fn((source: { readonly name: string }) => [source.name])
  const withNames = lazyField('names', tell)
  const [one, two] = [withNames({ id: 1 }, { name: 'a' }), withNames({ id: 2 }, { name: 'b' })]
  expect(tell).not.toHaveBeenCalled()
  expect([one.names, two.names, one.names]).toEqual([['a'], ['b'], ['a']])
  expect(one.names).toBe(one.names)
  expect(tell).toHaveBeenCalledTimes(2)
})

it('is data like any other, in its place, and two are apart', () => {
  const withFirst = lazyField('first', ({ text }: { readonly text: string }) => [text])
  const withLast = lazyField('last', ({ text }: { readonly text: string }) => [text])
  const both = withLast(Object.assign(withFirst({}, { text: 'a' }), { id: 1 }), { text: 'z' })
  expect(JSON.stringify(both)).toBe('{"first":["a"],"id":1,"last":["z"]}')
  expect(structuredClone(both)).toEqual({ first: ['a'], id: 1, last: ['z'] })
  expect({ ...both }).toEqual({ first: ['a'], id: 1, last: ['z'] })
})
