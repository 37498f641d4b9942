import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replaceItems } from '../../src/internal/list-changes.js'
import {
  computeReplacements,
  mapReplacements,
  replaceSortedItems as replaceInList,
} from '../../src/internal/sorted-list.js'

const byNumber = (a: number, b: number) => a - b
function replaceSorted(list: readonly number[], removed: readonly number[], added: readonly number[]) {
  return replaceInList(list, removed, added, byNumber)
}

const numbers = fc.uniqueArray(fc.nat(200), { maxLength: 120 })

describe('replaceSorted', () => {
  it.each([
    ['nothing is removed or added', [1, 2], [], [], [1, 2]],
    ['the first item is removed', [1, 2, 3], [1], [], [2, 3]],
    ['the last item is removed', [1, 2, 3], [3], [], [1, 2]],
    ['all items are removed', [1, 2, 3], [3, 1, 2], [], []],
    ['an item is replaced by an equal item', [1, 2, 3], [2], [2], [1, 2, 3]],
    ['one item is replaced by several items', [10, 20, 30], [20], [25, 15, 20], [10, 15, 20, 25, 30]],
    [
      'items are added before the first item and after the last item',
      [10, 20],
      [],
      [30, 0, 40, 5],
      [0, 5, 10, 20, 30, 40],
    ],
    ['items are added to an empty list', [], [], [2, 1], [1, 2]],
    ['two neighbouring items are replaced by one', [1, 2, 3, 4], [2, 3], [5], [1, 4, 5]],
  ])('replaces items: %s', (_, list, removed, added, expected) => {
    expect(replaceSorted(list, removed, added)).toEqual(expected)
  })

  it('returns the identical list if nothing is removed or added', () => {
    const list = [1, 2]
    expect(replaceInList(list, [], [], byNumber)).toBe(list)
  })

  it('returns the same list as changing the list and then sorting it', () => {
    fc.assert(
      fc.property(numbers, fc.func(fc.boolean()), numbers, (some, goes, others) => {
        const list = [...some].sort(byNumber)
        const removed = some.filter(goes)
        const kept = list.filter((item) => !removed.includes(item))
        const added = others.filter((item) => !kept.includes(item))
        const frozen = Object.freeze([...list])
        expect(replaceSorted(frozen, Object.freeze(removed), Object.freeze(added))).toEqual(
          [...kept, ...added].sort(byNumber),
        )
      }),
    )
  })

  it('accepts any number of items', () => {
    const even = Array.from({ length: 200_000 }, (_, index) => 2 * index)
    const odd = even.map((number) => number + 1)
    const isSame = (list: readonly number[], other: readonly number[]) =>
      list.length === other.length && list.every((number, index) => number === other[index])
    expect(isSame(replaceSorted([], [], even), even)).toBe(true)
    expect(isSame(replaceSorted(even, even, odd), odd)).toBe(true)
    expect(replaceSorted(even, [], odd)).toHaveLength(400_000)
  })
})

describe('computeReplacements', () => {
  it('returns the removed and added items at each position, in ascending order', () => {
    expect(computeReplacements([10, 20, 30], [30, 10], [40, 12, 11], byNumber)).toEqual([
      { at: 0, removed: 1, added: [] },
      { at: 1, removed: 0, added: [11, 12] },
      { at: 2, removed: 1, added: [] },
      { at: 3, removed: 0, added: [40] },
    ])
  })
})

describe('mapReplacements', () => {
  it('applies the replacements to a list of mapped items', () => {
    const replacements = computeReplacements([10, 20, 30], [20], [40], byNumber)
    expect(replaceItems(['10', '20', '30'], mapReplacements(replacements, String))).toEqual(['10', '30', '40'])
  })
})
