import type { MasqueradeTarget } from '../ast.js'
import { skipWord } from '../words.js'
import { identity, type TargetOperations } from './operations.js'

/** `-j MASQUERADE [--random-fully]`. */
export const masquerade: TargetOperations<MasqueradeTarget> = {
  begins: ['-j MASQUERADE'],
  print: (target) => (target.randomFully ? '-j MASQUERADE --random-fully' : '-j MASQUERADE'),
  list: (target) => (target.randomFully ? 'random-fully' : ''),
  parse: (words) => ({ kind: 'masquerade', randomFully: skipWord(words, '--random-fully') }),
  canonical: identity,
  changes: 'source',
  evaluate: (_, packet) => ({ kind: 'accept', packet: { ...packet, masqueraded: true } }),
}
