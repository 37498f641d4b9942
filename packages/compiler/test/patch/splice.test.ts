import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffLists } from '../../src/patch/diff-lists.js'
import { applySplices, insertionsOf, invertSplices, removalsOf } from '../../src/patch/splice.js'

describe('applySplices', () => {
  it('applies splices at positions of the original list', () => {
    const splices = [
      { at: 0, removed: [], inserted: ['x'] },
      { at: 1, removed: ['b'], inserted: [] },
      { at: 3, removed: [], inserted: ['y', 'z'] },
    ]
    expect(applySplices(['a', 'b', 'c'], splices)).toEqual(['x', 'a', 'c', 'y', 'z'])
  })

  it.each([
    ['an item that the list does not have at the position', [{ at: 0, removed: ['b'], inserted: [] }]],
    ['a removed item after the end', [{ at: 2, removed: ['c'], inserted: [] }]],
    ['a position after the end', [{ at: 3, removed: [], inserted: ['c'] }]],
    [
      'descending positions',
      [
        { at: 1, removed: ['b'], inserted: [] },
        { at: 0, removed: [], inserted: ['c'] },
      ],
    ],
  ])('rejects a splice with %s', (_, splices) => {
    expect(() => applySplices(['a', 'b'], splices)).toThrow('does not fit')
  })
})

const lists = fc.array(fc.nat({ max: 6 }), { maxLength: 12 })

describe('insertionsOf and removalsOf', () => {
  it('return splices for the original list, and for the list after the insertions', () => {
    const splices = [
      { at: 1, removed: ['b'], inserted: ['x', 'y'] },
      { at: 3, removed: ['d'], inserted: [] },
    ]
    expect(applySplices(['a', 'b', 'c', 'd'], insertionsOf(splices))).toEqual(['a', 'x', 'y', 'b', 'c', 'd'])
    expect(removalsOf(splices)).toEqual([
      { at: 3, removed: ['b'], inserted: [] },
      { at: 5, removed: ['d'], inserted: [] },
    ])
  })

  it('return splices that together have the same effect as the original splices', () => {
    fc.assert(
      fc.property(lists, lists, (before, after) => {
        const splices = diffLists(before, after)
        expect(applySplices(applySplices(before, insertionsOf(splices)), removalsOf(splices))).toEqual(after)
      }),
    )
  })
})

describe('invertSplices', () => {
  it('for two arbitrary lists returns splices that restore the original list', () => {
    fc.assert(
      fc.property(lists, lists, (before, after) => {
        const inverse = invertSplices(diffLists(before, after))
        expect(applySplices(after, inverse)).toEqual(before)
      }),
    )
  })
})
