import type { Spelling } from '../dataplane/language.js'
import { languageOf } from '../dataplane/language-of.js'
import type { LanguageName } from '../dataplane/languages.js'
import { liveLanguageOf } from '../dataplane/live-language-of.js'
import { modeOf } from '../targets/mode-of.js'
import type { CompiledMode } from '../targets/modes.js'

export { type ProxyMode, versionsOf } from '../configuration/versions.js'
export type { Backend, Spelling } from '../dataplane/language.js'
export { languageNames } from '../dataplane/language-of.js'
export type { LanguageName } from '../dataplane/languages.js'
export { modeNames } from '../targets/mode-of.js'
export type { CompiledMode } from '../targets/modes.js'

/** The languages that a mode speaks, in the order in which they are applied. */
export function languagesOf(mode: CompiledMode): readonly LanguageName[] {
  return modeOf(mode).languages
}

/** How a language can be spelled; the first is what its tool is fed. */
export function spellingsOf(language: LanguageName): readonly Spelling[] {
  return languageOf(language).spellings
}

/** Whether its tools print one family at a time: a state that a dump has of it tells that this family was dumped. */
export function isDumpedByFamily(language: LanguageName): boolean {
  return liveLanguageOf(language).headingOf !== undefined
}
