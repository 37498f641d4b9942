import { describe, expect, it } from 'vitest'
import { createTextProblem } from '../../../src/dataplane/netfilter/text-problem.js'

const problem = (line: number, column: number, source: string) =>
  createTextProblem({ code: 'any', text: 1, line, column, message: 'expected other words' }, source)

describe('a problem in a text', () => {
  it('is shown with its line and a mark below its position', () => {
    expect(problem(12, 4, '-A KUBE')).toEqual({
      code: 'any',
      text: 1,
      line: 12,
      column: 4,
      message: 'expected other words',
      excerpt: '12 | -A KUBE\n   |    ^',
    })
  })

  const digits = '0123456789'.repeat(20)

  it.each([
    [1, '', '3 | \n  | ^'],
    [61, digits, `3 | ${digits.slice(0, 120)}\n  | ${' '.repeat(60)}^`],
    [62, digits, `3 | ${digits.slice(1, 121)}\n  | ${' '.repeat(60)}^`],
    [201, digits, `3 | ${digits.slice(140)}\n  | ${' '.repeat(60)}^`],
    [2, 'a\tb\u200bc\u2028d\u2029e\ud800f', '3 | a b c d e f\n  |  ^'],
  ])('is shown with the text around it if it is at column %d', (column, source, excerpt) => {
    expect(problem(3, column, source).excerpt).toBe(excerpt)
  })
})
