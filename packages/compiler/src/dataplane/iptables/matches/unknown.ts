import type { UnknownMatch } from '../ast.js'
import { joinRawWords } from '../quote.js'
import { identity, type MatchEvaluator, type MatchPrinter } from './operations.js'

/** The words that fit no other kind of match. The rule parser collects these words. */
export const unknownMatchPrinter: MatchPrinter<UnknownMatch> = {
  print: (match) => joinRawWords(match.words),
  list: (match) => joinRawWords(match.words),
  canonical: identity,
}

export const unknownMatchEvaluator: MatchEvaluator<UnknownMatch> = {
  ignoresDestination: true,
  evaluate: () => 'unknown',
}
