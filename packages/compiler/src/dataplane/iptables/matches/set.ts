import type { SetMatch } from '../ast.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord, skipWord } from '../words.js'
import { type MatchParser, type MatchPrinter, unchangedMatch } from './operations.js'

/** `-m set --match-set NAME DIRECTIONS`. */
export const setMatchPrinter: MatchPrinter<SetMatch> = {
  print: ({ name, directions, negated }) =>
    `-m set ${negated ? '! ' : ''}--match-set ${checkPlainWord(name)} ${checkPlainWord(directions.join(','))}`,
  list: ({ name, directions, negated }) =>
    `${negated ? '! ' : ''}match-set ${checkPlainWord(name)} ${checkPlainWord(directions.join(','))}`,
  canonical: unchangedMatch,
}

export const setMatchParser: MatchParser<SetMatch> = {
  begins: ['-m set'],
  valueOptions: ['--match-set'],
  parse: (words) => {
    const negated = skipWord(words, '!')
    const name = skipWord(words, '--match-set') ? consumeWord(words) : undefined
    const directions = consumeWord(words)?.split(',')
    if (name === undefined || name === '' || !directions?.every(isDirection)) return undefined
    return { kind: 'set', name, directions, negated }
  },
}

function isDirection(text: string): text is 'src' | 'dst' {
  return text === 'src' || text === 'dst'
}
