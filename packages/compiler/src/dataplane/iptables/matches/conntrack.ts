import type { KernelPacket } from '../../netfilter/kernel-packet.js'
import { disjunctionOf, negateIf, type Ternary, toTernary } from '../../netfilter/ternary.js'
import type { ConntrackMatch } from '../ast.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord, skipWord } from '../words.js'
import type { MatchEvaluator, MatchParser, MatchPrinter } from './operations.js'

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

export const conntrackMatchEvaluator: MatchEvaluator<ConntrackMatch> = {
  ignoresDestination: true,
  evaluate: ({ states, negated }, { packet }) =>
    negateIf(negated, disjunctionOf(states.map((state) => isInState(state, packet)))),
}

/**
 * Reports whether the first packet of a connection is in a state. The packet is new and valid, regardless of earlier
 * rules.
 */
function isInState(state: string, { translatedBy, masqueraded }: KernelPacket): Ternary {
  switch (state) {
    case 'NEW':
      return 'yes'
    case 'DNAT':
      return toTernary(translatedBy !== undefined && translatedBy !== 'server')
    case 'SNAT':
      return toTernary(masqueraded)
    default:
      return 'no'
  }
}
