import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffLists } from '../../src/patch/diff-lists.js'
import { applySplices, type Splice } from '../../src/patch/splice.js'

function countTouched(splices: readonly Splice[]): number {
  return splices.reduce((sum, { removed, inserted }) => sum + removed.length + inserted.length, 0)
}

/** Computes the length of the longest common subsequence with the textbook table. */
function longestCommon(a: readonly unknown[], b: readonly unknown[]): number {
  let row = b.map(() => 0)
  for (const item of a) {
    const next: number[] = []
    for (const [index, other] of b.entries()) {
      const diagonal = (row[index - 1] ?? 0) + 1
      next.push(item === other ? diagonal : Math.max(row[index] ?? 0, next[index - 1] ?? 0))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

describe('diffLists', () => {
  it.each<[string, string, readonly Splice[]]>([
    ['abc', 'abc', []],
    ['', 'ab', [{ at: 0, removed: [], inserted: ['a', 'b'] }]],
    ['ab', '', [{ at: 0, removed: ['a', 'b'], inserted: [] }]],
    ['abc', 'axc', [{ at: 1, removed: ['b'], inserted: ['x'] }]],
    ['abc', 'abcd', [{ at: 3, removed: [], inserted: ['d'] }]],
    ['abcd', 'bcd', [{ at: 0, removed: ['a'], inserted: [] }]],
    [
      'abcd',
      'dabc',
      [
        { at: 0, removed: [], inserted: ['d'] },
        { at: 3, removed: ['d'], inserted: [] },
      ],
    ],
    [
      'bacad',
      'eafag',
      [
        { at: 0, removed: ['b'], inserted: ['e'] },
        { at: 2, removed: ['c'], inserted: ['f'] },
        { at: 4, removed: ['d'], inserted: ['g'] },
      ],
    ],
    [
      'aab',
      'babbc',
      [
        { at: 0, removed: [], inserted: ['b'] },
        { at: 1, removed: ['a'], inserted: ['b'] },
        { at: 3, removed: [], inserted: ['c'] },
      ],
    ],
    ['aa', 'a', [{ at: 1, removed: ['a'], inserted: [] }]],
    [
      'abcdef',
      'xbydez',
      [
        { at: 0, removed: ['a'], inserted: ['x'] },
        { at: 2, removed: ['c'], inserted: ['y'] },
        { at: 5, removed: ['f'], inserted: ['z'] },
      ],
    ],
  ])('returns the splices that turn "%s" into "%s"', (before, after, splices) => {
    expect(diffLists([...before], [...after])).toEqual(splices)
  })

  it('returns no splices if both lists are identical', () => {
    const list = [{ a: 1 }]
    expect(diffLists(list, list)).toEqual([])
  })

  it('changes as few items as possible in lists without repeated items', () => {
    const lists = fc.uniqueArray(fc.nat({ max: 12 }), { maxLength: 12 })
    fc.assert(
      fc.property(lists, lists, (before, after) => {
        const splices = diffLists(before, after)
        expect(applySplices(before, splices)).toEqual(after)
        expect(countTouched(splices)).toBe(before.length + after.length - 2 * longestCommon(before, after))
      }),
    )
  })

  it('returns ascending splices for arbitrary lists, and replaces no item with an equal item', () => {
    const lists = fc.array(fc.nat({ max: 3 }), { maxLength: 12 })
    fc.assert(
      fc.property(lists, lists, (before, after) => {
        const splices = diffLists(before, after)
        expect(applySplices(before, splices)).toEqual(after)
        let end = -1
        for (const { at, removed, inserted } of splices) {
          expect(at).toBeGreaterThan(end)
          expect(removed.length + inserted.length).toBeGreaterThan(0)
          for (const [index, item] of removed.entries()) expect(item).not.toBe(inserted[index])
          end = at + removed.length
        }
      }),
    )
  })
})
