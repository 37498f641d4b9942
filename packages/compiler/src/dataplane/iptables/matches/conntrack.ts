import type { ConntrackMatch } from '../ast.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord, skipWord } from '../words.js'
import type { MatchParser, MatchPrinter } from './operations.js'

/** The connection states in iptables-save order. */
const STATES: readonly string[] = ['INVALID', 'NEW', 'RELATED', 'ESTABLISHED', 'UNTRACKED', 'SNAT', 'DNAT']

/** `-m conntrack --ctstate STATES`. */
export const conntrackMatchPrinter: MatchPrinter<ConntrackMatch> = {
  print: ({ states, negated }) =>
    (negated ? '-m conntrack ! --ctstate ' : '-m conntrack --ctstate ') + checkPlainWord(states.join(',')),
  list: ({ states, negated }) => `${negated ? '! ' : ''}ctstate ${checkPlainWord(states.join(','))}`,
  canonical: (match) => (match.states.length === 1 ? match : { ...match, states: sortStates(match.states) }),
}

/** Sorts connection states like iptables-save. Unknown states come last. */
export function sortStates(states: readonly string[]): readonly string[] {
  return [...STATES.filter((state) => states.includes(state)), ...states.filter((state) => !STATES.includes(state))]
}

export const conntrackMatchParser: MatchParser<ConntrackMatch> = {
  begins: ['-m conntrack'],
  valueOptions: ['--ctstate'],
  parse: (words) => {
    const negated = skipWord(words, '!')
    const states = skipWord(words, '--ctstate') ? consumeWord(words)?.toUpperCase().split(',') : undefined
    return states?.every((state) => STATES.includes(state)) ? { kind: 'conntrack', states, negated } : undefined
  },
}
