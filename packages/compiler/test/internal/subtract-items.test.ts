import { expect, it } from 'vitest'
import { subtractItems } from '../../src/internal/subtract-items.js'

it.each([
  ['abc', '', 'abc'],
  ['abc', 'b', 'ac'],
  ['abcb', 'b', 'acb'],
  ['abcb', 'bbb', 'ac'],
  ['', 'a', ''],
])('subtractItems for "%s" without the items of "%s" returns "%s"', (items, taken, expected) => {
  expect(subtractItems([...items], [...taken]).join('')).toBe(expected)
})
