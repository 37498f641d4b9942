import {
  type CompileResult,
  type FamilyResult,
  formatsOf,
  type IptablesBackend,
  modeNames,
  type PrintOptions,
  type ProxyMode,
  print,
  type Subsystem,
  subsystemNames,
  subsystemsOf,
  type TextFormat,
} from '@kube-rules/compiler'
import { UsageError } from '../messages/errors.js'
import { hasLanguageChoice } from '../subsystem-choice.js'

/** The options for the text format of the rules. */
export interface TextFormatOptions {
  readonly subsystem?: Subsystem | undefined
  readonly format?: TextFormat | undefined
  readonly backend?: IptablesBackend | undefined
}

/**
 * Rejects a text format that does not belong to the given subsystem.
 *
 * @throws UsageError
 */
export function rejectContradiction({ subsystem, format }: TextFormatOptions): void {
  const only = onlyLanguageWith(format)
  if (only === undefined || subsystem === undefined || subsystem === only) return
  throw new UsageError(`option --format ${format} is only for --subsystem ${only}, not ${subsystem}`)
}

/**
 * Rejects options that only apply to other modes.
 *
 * @throws UsageError
 */
export function rejectForMode({ subsystem, format }: TextFormatOptions, mode: ProxyMode): void {
  if (subsystem !== undefined) {
    rejectUnless((each) => hasLanguageChoice(each, subsystem), mode, `option --subsystem ${subsystem}`)
  }
  const only = onlyLanguageWith(format)
  if (only !== undefined) rejectUnless((each) => subsystemsOf(each).includes(only), mode, `option --format ${format}`)
}

function rejectUnless(fits: (mode: ProxyMode) => boolean, mode: ProxyMode, option: string): void {
  if (fits(mode)) return
  throw new UsageError(`${option} is only for mode ${modeNames().filter(fits).join(', ')}; the mode is ${mode}`)
}

/** Prints the rules of one family. */
export function printFamily({ state }: FamilyResult, format: TextFormatOptions): string {
  return print(state, resolveTextFormat(format))
}

/** Converts the options. A text format that only one subsystem has implies that subsystem. */
export function resolveTextFormat({ subsystem, format, backend }: TextFormatOptions): PrintOptions {
  return { subsystem: subsystem ?? onlyLanguageWith(format), format: format, backend }
}

/** Prints each subsystem separately if the mode has several; returns undefined if it has only one. */
export function printSubsystems(
  { mode }: CompileResult,
  { state }: FamilyResult,
  { format, backend }: TextFormatOptions,
): Readonly<Record<string, string>> | undefined {
  const names = subsystemsOf(mode)
  if (names.length === 1) return undefined
  return Object.fromEntries(names.map((subsystem) => [subsystem, print(state, { subsystem, format: format, backend })]))
}

function onlyLanguageWith(format: TextFormat | undefined): Subsystem | undefined {
  if (format === undefined) return undefined
  const [first, ...others] = subsystemNames().filter((name) => formatsOf(name).includes(format))
  return others.length === 0 ? first : undefined
}
