import { plainWord } from '../quote.js'
import { unchanged, type VerdictLanguage, type VerdictOf } from './language.js'

/** `-j CHAIN`. The rule parser reads it: which names are chains depends on the table. */
export const jump: VerdictLanguage<VerdictOf<'jump'>> = {
  begins: [],
  print: (verdict) => `-j ${plainWord(verdict.chain)}`,
  parse: () => undefined,
  canonical: unchanged,
}

/** `-g CHAIN`. */
export const goto: VerdictLanguage<VerdictOf<'goto'>> = {
  begins: [],
  print: (verdict) => `-g ${plainWord(verdict.chain)}`,
  parse: () => undefined,
  canonical: unchanged,
}
