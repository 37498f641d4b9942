import { expect, it } from 'vitest'
import { continueWhile, createPasteNote, createPasteProblem } from '../../../src/dataplane/netfilter/pasted.js'

const line = { kind: 'line', source: '-A X', text: 2, line: 7, column: 3, written: '$ -A X' } as const

it('a problem in an excerpt line has its original position', () => {
  const problem = { code: 'badRow', text: 2, line: 7, message: 'expected a row' }
  expect(createPasteProblem(line, 'badRow', 'expected a row')).toEqual({
    ...problem,
    column: 3,
    excerpt: '7 | $ -A X\n  |   ^',
  })
  expect(createPasteProblem(line, 'badRow', 'expected a row', 3)).toEqual({
    ...problem,
    column: 6,
    excerpt: '7 | $ -A X\n  |      ^',
  })
})

it('a note of an excerpt line has its position', () => {
  expect(createPasteNote(line, 'trailingComment', 'read without it')).toEqual({
    code: 'trailingComment',
    text: 2,
    line: 7,
    message: 'read without it',
  })
})

it('continueWhile continues while lines satisfy the predicate', () => {
  const isContinued = continueWhile((each) => each.startsWith('a'))
  expect(isContinued('ab')?.('ac')).toBe(isContinued)
  expect([isContinued('b'), isContinued('a')?.('b')]).toEqual([undefined, undefined])
})
