import type { StateMatch } from '../ast.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord, skipWord } from '../words.js'
import { sortStates } from './conntrack.js'
import type { MatchParser, MatchPrinter } from './operations.js'

/** The states that the match knows. */
const STATES: readonly string[] = ['INVALID', 'NEW', 'RELATED', 'ESTABLISHED', 'UNTRACKED']

/** `-m state --state STATES`, the predecessor of `-m conntrack --ctstate`. */
export const stateMatchPrinter: MatchPrinter<StateMatch> = {
  print: ({ states, negated }) =>
    (negated ? '-m state ! --state ' : '-m state --state ') + checkPlainWord(states.join(',')),
  list: ({ states, negated }) => `${negated ? '! ' : ''}state ${checkPlainWord(states.join(','))}`,
  canonical: (match) => ({ ...match, states: sortStates(match.states) }),
}

export const stateMatchParser: MatchParser<StateMatch> = {
  begins: ['-m state'],
  valueOptions: ['--state'],
  parse: (words) => {
    const negated = skipWord(words, '!')
    const states = skipWord(words, '--state') ? consumeWord(words)?.toUpperCase().split(',') : undefined
    return states?.every((each) => STATES.includes(each)) ? { kind: 'state', states, negated } : undefined
  },
}
