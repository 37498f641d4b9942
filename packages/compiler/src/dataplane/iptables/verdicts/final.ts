import { unchanged, type VerdictLanguage, type VerdictOf } from './language.js'

/** `-j ACCEPT`. */
export const accept: VerdictLanguage<VerdictOf<'accept'>> = finalVerdict({ kind: 'accept' }, '-j ACCEPT')

/** `-j DROP`. */
export const drop: VerdictLanguage<VerdictOf<'drop'>> = finalVerdict({ kind: 'drop' }, '-j DROP')

/** `-j RETURN`. */
export const returnVerdict: VerdictLanguage<VerdictOf<'return'>> = finalVerdict({ kind: 'return' }, '-j RETURN')

function finalVerdict<V extends VerdictOf<'accept' | 'drop' | 'return'>>(verdict: V, text: string): VerdictLanguage<V> {
  return { begins: [text], print: () => text, parse: () => verdict, canonical: unchanged }
}
