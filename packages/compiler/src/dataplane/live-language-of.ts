import type { LanguageName } from './languages.js'
import type { LiveLanguage } from './live-language.js'
import { LIVE_LANGUAGES } from './live-languages.js'

/** How a language deals with a node, without regard to what its states are. */
export function liveLanguageOf(name: LanguageName): LiveLanguage<unknown, unknown> {
  return LIVE_LANGUAGES[name]
}
