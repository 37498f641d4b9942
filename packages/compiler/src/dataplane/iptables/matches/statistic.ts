import { complement } from '../../../internal/fraction.js'
import type { StatisticMatch } from '../ast.js'
import { plainWord } from '../quote.js'
import { skipWord, takeWord } from '../words.js'
import type { MatchLanguage } from './language.js'
import { isProbability, kernelProbability, shareOf } from './probability.js'

/** `-m statistic --mode random --probability P`. */
export const statistic: MatchLanguage<StatisticMatch> = {
  begins: ['-m statistic'],
  valueOptions: ['--mode', '--probability'],
  print: ({ probability, negated }) =>
    `-m statistic --mode random ${negated ? '! ' : ''}--probability ${plainWord(probability)}`,
  list: ({ probability, negated }) =>
    `statistic mode random ${negated ? '! ' : ''}probability ${plainWord(probability)}`,
  parse: (words) => {
    if (!skipWord(words, '--mode') || takeWord(words) !== 'random') return undefined
    const negated = skipWord(words, '!')
    const probability = skipWord(words, '--probability') ? takeWord(words) : undefined
    if (probability === undefined || !isProbability(probability)) return undefined
    return { kind: 'statistic', probability, negated }
  },
  canonical: (match) => {
    const probability = kernelProbability(match.probability)
    return probability === match.probability ? match : { ...match, probability }
  },
  ignoresDestination: true,
  evaluate: ({ probability, negated }) => {
    const share = shareOf(probability)
    return negated ? complement(share) : share
  },
}
