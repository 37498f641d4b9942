import type { PhysdevMatch } from '../ast.js'
import { consumeWord, skipWord } from '../words.js'
import { type MatchParser, type MatchPrinter, unchangedMatch } from './operations.js'

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
