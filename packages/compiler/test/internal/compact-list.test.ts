import { expect, it } from 'vitest'
import { compactList } from '../../src/internal/compact-list.js'

it('compactList copies the items of a list, and returns the same object for every empty list', () => {
  const list = [1, 2]
  expect(compactList(list)).toEqual([1, 2])
  expect(compactList(list)).not.toBe(list)
  expect(compactList([])).toBe(compactList([]))
})
