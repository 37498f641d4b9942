import type { MasqueradeTarget } from '../ast.js'
import { skipWord } from '../words.js'
import { type TargetLanguage, unchanged } from './language.js'

/** `-j MASQUERADE [--random-fully]`. */
export const masquerade: TargetLanguage<MasqueradeTarget> = {
  begins: ['-j MASQUERADE'],
  print: (target) => (target.randomFully ? '-j MASQUERADE --random-fully' : '-j MASQUERADE'),
  list: (target) => (target.randomFully ? 'random-fully' : ''),
  parse: (words) => ({ kind: 'masquerade', randomFully: skipWord(words, '--random-fully') }),
  canonical: unchanged,
  changes: 'source',
  evaluate: (_, packet) => ({ kind: 'accept', packet: { ...packet, masqueraded: true } }),
}
