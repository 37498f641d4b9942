import { negateIf } from '../../netfilter/ternary.js'
import type { PhysdevMatch } from '../ast.js'
import { consumeWord, skipWord } from '../words.js'
import { type MatchEvaluator, type MatchParser, type MatchPrinter, unchangedMatch } from './operations.js'

/** `-m physdev --physdev-is-in`, `-is-out` or `-is-bridged`. */
export const physdevMatchPrinter: MatchPrinter<PhysdevMatch> = {
  print: (match) => `-m physdev ${match.negated ? '! ' : ''}--physdev-is-${match.is}`,
  list: ({ is, negated }) => `PHYSDEV match ${negated ? '! ' : ''}--physdev-is-${is}`,
  canonical: unchangedMatch,
}

export const physdevMatchParser: MatchParser<PhysdevMatch> = {
  begins: ['-m physdev'],
  parse: (words) => {
    const negated = skipWord(words, '!')
    const is = readIs(consumeWord(words))
    return is === undefined ? undefined : { kind: 'physdev', is, negated }
  },
}

export const physdevMatchEvaluator: MatchEvaluator<PhysdevMatch> = {
  ignoresDestination: true,
  evaluate: ({ negated }, { packet }) => {
    if (packet.readSet !== undefined) packet.readSet.bridged = true
    return negateIf(negated, packet.bridged)
  },
}

function readIs(option: string | undefined): PhysdevMatch['is'] | undefined {
  switch (option) {
    case '--physdev-is-in':
      return 'in'
    case '--physdev-is-out':
      return 'out'
    case '--physdev-is-bridged':
      return 'bridged'
    default:
      return undefined
  }
}
