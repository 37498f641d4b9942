import { complementOf } from '../../../internal/fraction.js'
import type { StatisticMatch } from '../ast.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord, skipWord } from '../words.js'
import type { MatchEvaluator, MatchParser, MatchPrinter } from './operations.js'
import { formatKernelProbability, isProbability, probabilityToFraction } from './probability.js'

/** `-m statistic --mode random --probability P`. */
export const statisticPrinter: MatchPrinter<StatisticMatch> = {
  print: ({ probability, negated }) =>
    `-m statistic --mode random ${negated ? '! ' : ''}--probability ${checkPlainWord(probability)}`,
  list: ({ probability, negated }) =>
    `statistic mode random ${negated ? '! ' : ''}probability ${checkPlainWord(probability)}`,
  canonical: (match) => {
    const probability = formatKernelProbability(match.probability)
    return probability === match.probability ? match : { ...match, probability }
  },
}

export const statisticParser: MatchParser<StatisticMatch> = {
  begins: ['-m statistic'],
  valueOptions: ['--mode', '--probability'],
  parse: (words) => {
    if (!skipWord(words, '--mode') || consumeWord(words) !== 'random') return undefined
    const negated = skipWord(words, '!')
    const probability = skipWord(words, '--probability') ? consumeWord(words) : undefined
    if (probability === undefined || !isProbability(probability)) return undefined
    return { kind: 'statistic', probability, negated }
  },
}

export const statisticEvaluator: MatchEvaluator<StatisticMatch> = {
  ignoresDestination: true,
  evaluate: ({ probability, negated }) => {
    const share = probabilityToFraction(probability)
    return negated ? complementOf(share) : share
  },
}
