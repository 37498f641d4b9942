import { createFraction, type Fraction } from '../../../internal/fraction.js'
import type { StatisticMatch } from '../ast.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord, skipWord } from '../words.js'
import type { MatchParser, MatchPrinter } from './operations.js'

/** `-m statistic --mode random --probability P`. */
export const statisticMatchPrinter: MatchPrinter<StatisticMatch> = {
  print: ({ probability, negated }) =>
    `-m statistic --mode random ${negated ? '! ' : ''}--probability ${checkPlainWord(probability)}`,
  list: ({ probability, negated }) =>
    `statistic mode random ${negated ? '! ' : ''}probability ${checkPlainWord(probability)}`,
  canonical: (match) => {
    const probability = formatKernelProbability(match.probability)
    return probability === match.probability ? match : { ...match, probability }
  },
}

export const statisticMatchParser: MatchParser<StatisticMatch> = {
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

const ONE = 0x80000000
const TIE = 0x80000

/**
 * Formats a probability as a multiple of 2^-31 with 11 decimals, which is the value that the kernel stores and
 * iptables-save prints. For example, `0.3333333333` becomes `0.33333333349`. Distinct multiples have distinct decimals.
 */
export function formatKernelProbability(probability: string): string {
  const parts = Math.round(Number(probability) * ONE)
  const text = (parts / ONE).toFixed(11)
  return parts % (2 * TIE) === TIE ? roundHalfToEven(text) : text
}

/**
 * Rounds ties to the even digit, like `printf` in C: `1/4096` becomes `0.00024414062`. In contrast, `toFixed` rounds
 * ties up.
 */
function roundHalfToEven(text: string): string {
  const digit = text.charCodeAt(text.length - 1) - 48
  return digit % 2 === 0 ? text : text.slice(0, -1) + (digit - 1)
}

/**
 * Converts a probability to a fraction. The stored value of `1/n` becomes `1/n`, even if the rule has only five
 * decimals. Any other value becomes a multiple of 2^-31.
 */
export function probabilityToFraction(probability: string): Fraction {
  const parts = Math.round(Number(probability) * ONE)
  const count = Math.round(ONE / Math.max(parts, 1))
  // With ten decimals, the kernel may store `1/count` as a neighbor of the nearest multiple of 2^-31, so distances
  // below 1 count as equal.
  const isShare = Math.abs(parts - ONE / count) < 1 || isFiveDecimalsOf(parts, count)
  return isShare && parts > 0 ? createFraction(1, count) : createFraction(parts, ONE)
}

/** Reports whether `parts` is the stored value of `1/count` with five decimals, rounded up or down. */
function isFiveDecimalsOf(parts: number, count: number): boolean {
  const rounded = Math.round((parts / ONE) * 1e5) / 1e5
  return parts === Math.round(rounded * ONE) && Math.abs(rounded - 1 / count) < 0.500001e-5
}

/** Reports whether `text` is a decimal number from 0 to 1. */
export function isProbability(text: string): boolean {
  return /^(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) && Number(text) <= 1
}
