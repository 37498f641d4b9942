import { plainWord } from '../quote.js'
import { unchanged, type VerdictLanguage, type VerdictOf } from './language.js'

/** `-j CHAIN`. The rule parser handles it, because the set of chain names depends on the table. */
export const jump: VerdictLanguage<VerdictOf<'jump'>> = {
  print: (verdict) => `-j ${plainWord(verdict.chain)}`,
  canonical: unchanged,
  evaluate: ({ chain }) => ({ kind: 'jump', chain }),
}

/** `-g CHAIN`. */
export const goto: VerdictLanguage<VerdictOf<'goto'>> = {
  print: (verdict) => `-g ${plainWord(verdict.chain)}`,
  canonical: unchanged,
  evaluate: ({ chain }) => ({ kind: 'goto', chain }),
}
