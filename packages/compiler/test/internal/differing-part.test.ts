import { expect, it } from 'vitest'
import { differingPart } from '../../src/internal/differing-part.js'

it.each<[string, string, string, string, string]>([
  ['equal lists', 'abc', 'abc', '', ''],
  ['empty lists', '', '', '', ''],
  ['a changed item', 'abc', 'axc', 'b', 'x'],
  ['an item that comes', 'ac', 'abc', '', 'b'],
  ['an item that goes', 'abc', 'ac', 'b', ''],
  ['a repeated item, looked at once', 'aa', 'aaa', '', 'a'],
  ['nothing in common', 'ab', 'cd', 'ab', 'cd'],
])('%s', (_name, before, after, differsBefore, differsAfter) => {
  expect(differingPart([...before], [...after])).toEqual({ before: [...differsBefore], after: [...differsAfter] })
})
