import { complementOf } from '../../../internal/fraction.js'
import type { StatisticMatch } from '../ast.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord, skipWord } from '../words.js'
import type { MatchOperations } from './operations.js'
import { formatKernelProbability, isProbability, probabilityToFraction } from './probability.js'

/** `-m statistic --mode random --probability P`. */
export const statistic: MatchOperations<StatisticMatch> = {
  begins: ['-m statistic'],
  valueOptions: ['--mode', '--probability'],
  print: ({ probability, negated }) =>
    `-m statistic --mode random ${negated ? '! ' : ''}--probability ${checkPlainWord(probability)}`,
  list: ({ probability, negated }) =>
    `statistic mode random ${negated ? '! ' : ''}probability ${checkPlainWord(probability)}`,
  parse: (words) => {
    if (!skipWord(words, '--mode') || consumeWord(words) !== 'random') return undefined
    const negated = skipWord(words, '!')
    const probability = skipWord(words, '--probability') ? consumeWord(words) : undefined
    if (probability === undefined || !isProbability(probability)) return undefined
    return { kind: 'statistic', probability, negated }
  },
  canonical: (match) => {
    const probability = formatKernelProbability(match.probability)
    return probability === match.probability ? match : { ...match, probability }
  },
  ignoresDestination: true,
  evaluate: ({ probability, negated }) => {
    const share = probabilityToFraction(probability)
    return negated ? complementOf(share) : share
  },
}
