import { expect, it } from 'vitest'
import { addToGroup, groupItems } from '../../src/internal/group-items.js'

it('groupItems groups items by key, in the order of the first item of each group', () => {
  expect([...groupItems(['b1', 'a1', 'b2'], (item) => item.slice(0, 1))]).toEqual([
    ['b', ['b1', 'b2']],
    ['a', ['a1']],
  ])
})

it('addToGroup creates the group of a new key, and appends to the group of a known key', () => {
  const groups = new Map([['a', [1]]])
  addToGroup(groups, 'a', 2)
  addToGroup(groups, 'b', 3)
  expect([...groups]).toEqual([
    ['a', [1, 2]],
    ['b', [3]],
  ])
})
