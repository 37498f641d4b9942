import type { UnknownMatch } from '../ast.js'
import { joinRawWords } from '../quote.js'
import { identity, type MatchEvaluator, type MatchPrinter } from './operations.js'

/** Words that fit no other kind; the rule parser collects them. */
export const unknownMatchPrinter: MatchPrinter<UnknownMatch> = {
  print: (match) => joinRawWords(match.words),
  list: (match) => joinRawWords(match.words),
  canonical: identity,
}

export const unknownMatchEvaluator: MatchEvaluator<UnknownMatch> = {
  ignoresDestination: true,
  evaluate: () => 'unknown',
}
