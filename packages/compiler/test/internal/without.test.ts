import { expect, it } from 'vitest'
import { without } from '../../src/internal/without.js'

it.each([
  ['abc', '', 'abc'],
  ['abc', 'b', 'ac'],
  ['abcb', 'b', 'acb'],
  ['abcb', 'bbb', 'ac'],
  ['', 'a', ''],
])('%s without %s is %s', (items, taken, expected) => {
  expect(without([...items], [...taken]).join('')).toBe(expected)
})
