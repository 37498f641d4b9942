import type { MasqueradeTarget } from '../ast.js'
import { skipWord, type WordCursor } from '../words.js'
import { identity, type TargetPrinter } from './operations.js'

/** `-j MASQUERADE [--random-fully]`. */
export const masqueradeTargetPrinter: TargetPrinter<MasqueradeTarget> = {
  print: (target) => (target.randomFully ? '-j MASQUERADE --random-fully' : '-j MASQUERADE'),
  list: (target) => (target.randomFully ? 'random-fully' : ''),
  canonical: identity,
}

export function parseMasqueradeTarget(words: WordCursor): MasqueradeTarget {
  return { kind: 'masquerade', randomFully: skipWord(words, '--random-fully') }
}
