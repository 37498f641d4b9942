import type { UnknownMatch } from '../ast.js'
import { joinRawWords } from '../quote.js'
import { type MatchPrinter, unchangedMatch } from './operations.js'

/** The words that fit no other kind of match. The rule parser collects these words. */
export const unknownMatchPrinter: MatchPrinter<UnknownMatch> = {
  print: (match) => joinRawWords(match.words),
  list: (match) => joinRawWords(match.words),
  canonical: unchangedMatch,
}
