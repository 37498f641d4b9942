import { type CompileResult, type FamilyResult, type PrintStateOptions, print } from '@kube-rules/compiler'
import {
  type Backend,
  type CompiledMode,
  languageNames,
  languagesOf,
  modeNames,
  type Spelling,
  type Subsystem,
  spellingsOf,
} from '@kube-rules/compiler/tables'
import { hasLanguageChoice } from '../language-choice.js'
import { UsageError } from '../messages/errors.js'

/** The options for the text format of the rules. */
export interface SpellingOptions {
  readonly language?: Subsystem | undefined
  readonly style?: Spelling | undefined
  readonly backend?: Backend | undefined
}

/**
 * Rejects a text format that does not belong to the given subsystem.
 *
 * @throws UsageError
 */
export function refuseContradiction({ language, style }: SpellingOptions): void {
  const only = onlyLanguageWith(style)
  if (only === undefined || language === undefined || language === only) return
  throw new UsageError(`option --style ${style} is only for --language ${only}, not ${language}`)
}

/**
 * Rejects options that only apply to other modes.
 *
 * @throws UsageError
 */
export function refuseForMode({ language, style }: SpellingOptions, mode: CompiledMode): void {
  if (language !== undefined) {
    refuseUnless((each) => hasLanguageChoice(each, language), mode, `option --language ${language}`)
  }
  const only = onlyLanguageWith(style)
  if (only !== undefined) refuseUnless((each) => languagesOf(each).includes(only), mode, `option --style ${style}`)
}

function refuseUnless(fits: (mode: CompiledMode) => boolean, mode: CompiledMode, option: string): void {
  if (fits(mode)) return
  throw new UsageError(`${option} is only for mode ${modeNames().filter(fits).join(', ')}; the mode is ${mode}`)
}

/** Prints the rules of one family. */
export function spell({ state }: FamilyResult, spelling: SpellingOptions): string {
  return print(state, spelledAs(spelling))
}

/** Converts the options. A text format that only one subsystem has implies that subsystem. */
export function spelledAs({ language, style, backend }: SpellingOptions): PrintStateOptions {
  return { language: language ?? onlyLanguageWith(style), spelling: style, backend }
}

/** Prints each subsystem separately if the mode has several; returns undefined if it has only one. */
export function spellLanguages(
  { mode }: CompileResult,
  { state }: FamilyResult,
  { style, backend }: SpellingOptions,
): Readonly<Record<string, string>> | undefined {
  const names = languagesOf(mode)
  if (names.length === 1) return undefined
  return Object.fromEntries(names.map((language) => [language, print(state, { language, spelling: style, backend })]))
}

function onlyLanguageWith(style: Spelling | undefined): Subsystem | undefined {
  if (style === undefined) return undefined
  const [first, ...others] = languageNames().filter((name) => spellingsOf(name).includes(style))
  return others.length === 0 ? first : undefined
}
