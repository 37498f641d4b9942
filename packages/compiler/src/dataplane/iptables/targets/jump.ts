import { plainWord } from '../quote.js'
import { type TargetLanguage, type TargetOf, unchanged } from './language.js'

/** `-j CHAIN`. The rule parser handles it, because the set of chain names depends on the table. */
export const jump: TargetLanguage<TargetOf<'jump'>> = {
  print: (target) => `-j ${plainWord(target.chain)}`,
  canonical: unchanged,
  evaluate: ({ chain }) => ({ kind: 'jump', chain }),
}

/** `-g CHAIN`. */
export const goto: TargetLanguage<TargetOf<'goto'>> = {
  print: (target) => `-g ${plainWord(target.chain)}`,
  canonical: unchanged,
  evaluate: ({ chain }) => ({ kind: 'goto', chain }),
}
