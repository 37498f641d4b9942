import { type CompiledMode, languageNames, languagesOf, modeNames, type Subsystem } from '@kube-rules/compiler/tables'

/** The languages of modes with several: of a mode with one there is nothing to choose. */
export function languageChoices(): readonly Subsystem[] {
  return languageNames().filter((language) => modeNames().some((mode) => hasLanguageChoice(mode, language)))
}

/** Whether a mode has that language among others. */
export function hasLanguageChoice(mode: CompiledMode, language: Subsystem): boolean {
  const languages = languagesOf(mode)
  return languages.length > 1 && languages.includes(language)
}
