import type { UnknownMatch } from '../ast.js'
import { joinRawWords } from '../quote.js'
import { type MatchLanguage, unchanged } from './language.js'

/** Words that fit no other kind; the rule parser collects them. */
export const unknown: MatchLanguage<UnknownMatch> = {
  print: (match) => joinRawWords(match.words),
  list: (match) => joinRawWords(match.words),
  canonical: unchanged,
  ignoresDestination: true,
  evaluate: () => 'unknown',
}
