import type { Language } from './language.js'
import { LANGUAGES, type LanguageName, type NodeState } from './languages.js'

/** A language without regard to what its states are. */
export type AnyLanguage = Language<unknown>

/** The names of all languages, in the order in which they are applied. */
export function languageNames(): readonly LanguageName[] {
  return Object.keys(LANGUAGES) as LanguageName[]
}

export function languageOf(name: LanguageName): AnyLanguage {
  return LANGUAGES[name]
}

/** The languages of which the state has something, in the order in which they are applied. */
export function languagesIn(state: NodeState): readonly LanguageName[] {
  return languageNames().filter((name) => state[name] !== undefined)
}
