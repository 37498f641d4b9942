import type { UnknownMatch } from '../ast.js'
import { joinRawWords } from '../quote.js'
import { identity, type MatchOperations } from './operations.js'

/** Words that fit no other kind; the rule parser collects them. */
export const unknown: MatchOperations<UnknownMatch> = {
  print: (match) => joinRawWords(match.words),
  list: (match) => joinRawWords(match.words),
  canonical: identity,
  ignoresDestination: true,
  evaluate: () => 'unknown',
}
