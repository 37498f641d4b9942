import type { UnknownVerdict } from '../ast.js'
import { rawWords } from '../quote.js'
import { unchanged, type VerdictLanguage } from './language.js'

/** A target that no other kind reads; the rule parser collects its words. */
export const unknown: VerdictLanguage<UnknownVerdict> = {
  print: (verdict) => rawWords(verdict.words),
  canonical: unchanged,
}
