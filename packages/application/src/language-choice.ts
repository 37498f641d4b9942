import { type CompiledMode, languageNames, languagesOf, modeNames, type Subsystem } from '@kube-rules/compiler/tables'

/** Returns the subsystems of modes with several subsystems. A mode with one offers no choice. */
export function languageChoices(): readonly Subsystem[] {
  return languageNames().filter((language) => modeNames().some((mode) => hasLanguageChoice(mode, language)))
}

/** Reports whether a mode uses that subsystem among several. */
export function hasLanguageChoice(mode: CompiledMode, language: Subsystem): boolean {
  const languages = languagesOf(mode)
  return languages.length > 1 && languages.includes(language)
}
