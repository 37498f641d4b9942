import { describe, expect, it } from 'vitest'
import { copyUnlessSame, findLowerBound, replaceItems } from '../../src/internal/list-changes.js'

describe('replaceItems', () => {
  it('removes, replaces and inserts items at indexes of the old list', () => {
    const replacements = [
      { at: 0, removed: 0, added: ['x'] },
      { at: 1, removed: 2, added: ['y', 'z'] },
      { at: 4, removed: 1, added: [] },
    ]
    expect(replaceItems([...'abcde'], replacements).join('')).toBe('xayzd')
  })

  it.each<[string, readonly { at: number; removed: number; added: readonly string[] }[], string]>([
    ['inserts items at one index', [{ at: 2, removed: 0, added: ['x', 'y'] }], 'abxycde'],
    ['removes items at one index', [{ at: 3, removed: 2, added: [] }], 'abc'],
    [
      'overwrites items if the length stays the same',
      [
        { at: 0, removed: 1, added: ['x'] },
        { at: 3, removed: 2, added: ['y', 'z'] },
      ],
      'xbcyz',
    ],
  ])('%s, and does not change the old list', (_name, replacements, expected) => {
    const list = [...'abcde']
    expect(replaceItems(list, replacements).join('')).toBe(expected)
    expect(list.join('')).toBe('abcde')
  })

  it('returns the list itself without replacements', () => {
    const list = ['a']
    expect(replaceItems(list, [])).toBe(list)
  })
})

describe('copyUnlessSame', () => {
  it('returns the previous list if the items are identical', () => {
    const before = [{}, {}]
    expect(copyUnlessSame(before, [...before])).toBe(before)
  })

  it.each([
    ['a shorter list', ['a']],
    ['a longer list', ['a', 'b', 'c']],
    ['other items', ['a', 'c']],
  ])('returns a copy for %s, which a later change of the given list does not affect', (_name, items) => {
    const given = [...items]
    const copy = copyUnlessSame(['a', 'b'], given)
    given.push('later')
    expect(copy).toEqual(items)
  })
})

describe('findLowerBound', () => {
  it.each([
    [0, 0],
    [20, 1],
    [25, 2],
    [40, 3],
  ])('returns the index of the first item that is not below %i', (bound, index) => {
    expect(findLowerBound([10, 20, 30], (item) => item - bound)).toBe(index)
  })
})
