import type { UnknownMatch } from '../ast.js'
import { rawWords } from '../quote.js'
import { type MatchLanguage, unchanged } from './language.js'

/** Words that fit no other kind; the rule parser collects them. */
export const unknown: MatchLanguage<UnknownMatch> = {
  print: (match) => rawWords(match.words),
  list: (match) => rawWords(match.words),
  canonical: unchanged,
  evaluate: () => 'unknown',
}
