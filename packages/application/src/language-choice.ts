import {
  type CompiledMode,
  type LanguageName,
  languageNames,
  languagesOf,
  modeNames,
} from '@kube-rules/compiler/tables'

/** The languages of modes with several: of a mode with one there is nothing to choose. */
export function languageChoices(): readonly LanguageName[] {
  return languageNames().filter((language) => modeNames().some((mode) => hasLanguageChoice(mode, language)))
}

/** Whether a mode has that language among others. */
export function hasLanguageChoice(mode: CompiledMode, language: LanguageName): boolean {
  const languages = languagesOf(mode)
  return languages.length > 1 && languages.includes(language)
}
