import { describe, expect, it } from 'vitest'
import { findDocstrings } from '../language/docstrings.mjs'

const namesIn = (source) => findDocstrings('a.ts', source).map(({ message }) => message.split(':')[0])

describe('findDocstrings', () => {
  it.each([
    '/** The rules of a chain. */\nexport function rulesOf() {}',
    '/** Whether it is a rule. */\nexport async function rulesOf() {}',
    '/** Rules of a chain. */\nexport function* rulesOf() {}',
    '/**\n * `rules` of a chain.\n */\nexport function rulesOf() {}',
    '/** Return the rules. */\nexport const rulesOf = (chain) => chain.rules',
    '/** What rules there are. */\nexport const rulesOf = <T>(chain: T): T[] => [chain]',
    '/** What rules there are. */\nexport const rulesOf: Reader<Rule> = (chain) => chain.rules',
    '/** The rules. */\nexport const rulesOf = async chain => chain.rules',
  ])('reports the docstring in %s', (source) => {
    expect(namesIn(source)).toEqual(['rulesOf'])
  })

  it.each([
    '/** Returns the rules. */\nexport function rulesOf() {}',
    '/**\n * Returns: the rules.\n */\nexport const rulesOf = (chain) => chain.rules',
    'export function rulesOf() {}',
    '/** The rules of a chain. */\nfunction rulesOf() {}',
    '/** The rules. */\nexport interface Rules {}',
    '/** The rules. */\nexport const RULES = { map: (rule) => rule }',
    '/** The rules. */\nexport const RULES = [1, 2].map((rule) => rule)',
    '/** The rules. */\nconst rules = 1\n\nexport function rulesOf() {}',
  ])('accepts %s', (source) => {
    expect(namesIn(source)).toEqual([])
  })

  it('returns the line and the first words of a docstring', () => {
    expect(findDocstrings('a.ts', '\n/** The rules. */\nexport function rulesOf() {}')).toEqual([
      { path: 'a.ts', line: 2, message: 'rulesOf: The rules.' },
    ])
  })
})
