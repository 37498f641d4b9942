import { expect, it } from 'vitest'
import { trimCommonEnds } from '../../src/internal/list-changes.js'

it.each<[string, string, string, string, string]>([
  ['equal lists', 'abc', 'abc', '', ''],
  ['empty lists', '', '', '', ''],
  ['a changed item', 'abc', 'axc', 'b', 'x'],
  ['an added item', 'ac', 'abc', '', 'b'],
  ['a removed item', 'abc', 'ac', 'b', ''],
  ['a repeated item that is added once more', 'aa', 'aaa', '', 'a'],
  ['lists with nothing in common', 'ab', 'cd', 'ab', 'cd'],
])(
  'trimCommonEnds returns only the items between the common ends for %s',
  (_name, before, after, differsBefore, differsAfter) => {
    const part = trimCommonEnds([...before], [...after])
    expect([part.before, part.after]).toEqual([[...differsBefore], [...differsAfter]])
    expect([before, after].map((list) => list.slice(0, part.start))).toEqual(
      [before, before].map((list) => list.slice(0, part.start)),
    )
  },
)
