import type { MasqueradeVerdict } from '../ast.js'
import { skipWord } from '../words.js'
import { unchanged, type VerdictLanguage } from './language.js'

/** `-j MASQUERADE [--random-fully]`. */
export const masquerade: VerdictLanguage<MasqueradeVerdict> = {
  begins: ['-j MASQUERADE'],
  print: (verdict) => (verdict.randomFully ? '-j MASQUERADE --random-fully' : '-j MASQUERADE'),
  parse: (words) => ({ kind: 'masquerade', randomFully: skipWord(words, '--random-fully') }),
  canonical: unchanged,
  changes: 'source',
  evaluate: (_, packet) => ({ kind: 'accept', packet: { ...packet, masqueraded: true } }),
}
