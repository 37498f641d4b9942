import type { Result } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { type DumpSection, readDumpSections } from '../../../src/dataplane/netfilter/dump-section.js'
import { createTextProblem, type TextProblem } from '../../../src/dataplane/netfilter/text-problem.js'
import { splitLinesWithOrigins } from '../../../src/view/printed-lines.js'

const lines = (source: string, text: number, line: number): DumpSection => ({ source, text, line, family: undefined })

/** Parses a text into words; words with a leading `!` are problems. */
function parse(text: string): Result<readonly string[], TextProblem<'bad'>> {
  const problems = text.split('\n').flatMap((each, index) => {
    const column = each.indexOf('!') + 1
    return column === 0
      ? []
      : [createTextProblem({ code: 'bad', text: 0, line: index + 1, column, message: 'no' }, each)]
  })
  return problems.length > 0 ? { ok: false, problems } : ({ ok: true, value: text.split(/\s/) } as const)
}

const read = (all: readonly DumpSection[]) =>
  readDumpSections(all, parse, (words, family) => words.filter((word) => word.includes(':') === (family === 'IPv6')))

describe('lines parsed as one text', () => {
  it('produce a state for each family', () => {
    expect(read([lines('a b:', 0, 1), lines('c:\nd', 1, 5)])).toEqual({
      states: { IPv4: ['a', 'd'], IPv6: ['b:', 'c:'] },
      problems: [],
    })
    expect(read([lines('a', 0, 1)]).states).toEqual({ IPv4: ['a'], IPv6: [] })
  })

  it('produce no state if there are no lines', () => {
    expect(read([])).toEqual({ states: {}, problems: [] })
  })

  it('have problems at their original positions', () => {
    const { states, problems } = read([lines('a\n b !c', 0, 3), lines('!d', 2, 10), lines('e\nf\n!g', 2, 20)])
    expect(states).toEqual({})
    expect(problems.map(({ text, line, column, excerpt }) => [text, line, column, excerpt])).toEqual([
      [0, 4, 4, '4 |  b !c\n  |    ^'],
      [2, 10, 1, '10 | !d\n   | ^'],
      [2, 22, 1, '22 | !g\n   | ^'],
    ])
  })
})

describe('lines of a text with their origins', () => {
  const numbered = (all: readonly string[]) => all.map((_, index) => ({ owner: `${all.length}`, location: `${index}` }))
  const make = (text: string, { owner, location }: { readonly owner: string; readonly location: string }) =>
    `${text} ${location}/${owner}`

  it.each([
    ['', []],
    ['a', ['a 0/1']],
    ['a\nb\n', ['a 0/2', 'b 1/2']],
    ['a\n\n', ['a 0/2', ' 1/2']],
  ])('are split correctly for %j', (text, expected) => {
    expect(splitLinesWithOrigins(text, numbered, make)).toEqual(expected)
  })
})
