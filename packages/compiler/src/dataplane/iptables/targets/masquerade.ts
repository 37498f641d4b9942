import type { MasqueradeTarget } from '../ast.js'
import { skipWord, type WordCursor } from '../words.js'
import { type TargetPrinter, unchangedTarget } from './operations.js'

/** `-j MASQUERADE [--random-fully]`. */
export const masqueradeTargetPrinter: TargetPrinter<MasqueradeTarget> = {
  print: (target) => (target.randomFully ? '-j MASQUERADE --random-fully' : '-j MASQUERADE'),
  list: (target) => (target.randomFully ? 'random-fully' : ''),
  canonical: unchangedTarget,
}

export function parseMasqueradeTarget(words: WordCursor): MasqueradeTarget {
  return { kind: 'masquerade', randomFully: skipWord(words, '--random-fully') }
}
