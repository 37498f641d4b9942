import { describe, expect, it, vi } from 'vitest'
import { createLazyFieldAdder, enableMemo, lazySourceOf, memoize } from '../../src/internal/memo.js'

describe('createLazyFieldAdder', () => {
  it('computes a field from the source of its object once, when the field is first read', () => {
    const compute = vi.fn((source: { readonly name: string }) => [source.name])
    const withNames = createLazyFieldAdder({ names: compute })
    const [one, two] = [withNames({ id: 1 }, { name: 'a' }), withNames({ id: 2 }, { name: 'b' })]
    expect(compute).not.toHaveBeenCalled()
    expect([one.names, two.names, one.names]).toEqual([['a'], ['b'], ['a']])
    expect(one.names).toBe(one.names)
    expect(compute).toHaveBeenCalledTimes(2)
  })

  it('caches a computed undefined', () => {
    const compute = vi.fn((_: string) => undefined)
    const object = createLazyFieldAdder({ nothing: compute })({}, 'a')
    expect([object.nothing, object.nothing]).toEqual([undefined, undefined])
    expect(compute).toHaveBeenCalledTimes(1)
  })

  it('creates plain data without hidden properties', () => {
    const withEnds = createLazyFieldAdder({
      first: ({ text }: { readonly text: string }) => text.slice(0, 1),
      last: ({ text }: { readonly text: string }) => text.slice(-1),
    })
    const [one, two] = [withEnds({ id: 1 }, { text: 'az' }), withEnds({}, { text: 'by' })]
    expect(JSON.stringify(one)).toBe('{"id":1,"first":"a","last":"z"}')
    expect(structuredClone(one)).toEqual({ id: 1, first: 'a', last: 'z' })
    expect({ ...Object.freeze(two) }).toEqual({ first: 'b', last: 'y' })
    expect(Reflect.ownKeys(one)).toEqual(['id', 'first', 'last'])
  })
})

describe('lazySourceOf', () => {
  it('returns the source of the lazy fields, and undefined if the object has none', () => {
    const object = createLazyFieldAdder({ all: (source: string) => [source] })({}, 'a')
    expect(lazySourceOf(object)).toBe('a')
    expect(lazySourceOf({})).toBeUndefined()
    expect(lazySourceOf(enableMemo({}))).toBeUndefined()
  })
})

describe('memoize', () => {
  it('computes a value once if enableMemo marked the object, and else on each call', () => {
    const compute = vi.fn(({ id }: { readonly id: number }) => [id])
    const kept = enableMemo({ id: 1 })
    expect(memoize(kept, compute)).toBe(memoize(kept, compute))
    expect(compute).toHaveBeenCalledTimes(1)
    const other = { id: 2 }
    expect(memoize(other, compute)).not.toBe(memoize(other, compute))
    expect(compute).toHaveBeenCalledTimes(3)
  })

  it('adds no property to the object', () => {
    const kept = enableMemo({ id: 1 })
    memoize(kept, ({ id }) => id)
    expect(Reflect.ownKeys(kept)).toEqual(['id'])
  })
})
