import {
  type CompileResult,
  type FamilyResult,
  formatsOf,
  type IptablesBackend,
  listModes,
  listSubsystems,
  type NodeState,
  type PrintOptions,
  type ProxyMode,
  print,
  type Subsystem,
  subsystemsOf,
  type TextFormat,
} from '@kube-rules/compiler'
import { UsageError } from '../messages/errors.js'
import { isSubsystemSelectable, listSubsystemChoices } from '../selectable-subsystem.js'

/** The options for the text format of the rules. */
export interface TextFormatOptions {
  readonly subsystem?: Subsystem | undefined
  readonly format?: TextFormat | undefined
  readonly backend?: IptablesBackend | undefined
  readonly listing?: PrintOptions['listing']
}

/**
 * Rejects the listing format for a subsystem that has no listing.
 *
 * @throws UsageError
 */
export function assertFormatSupported({ subsystem, format }: TextFormatOptions): void {
  if (format !== 'listing' || subsystem === undefined || hasListing(subsystem)) return
  const known = listSubsystemChoices().filter(hasListing).join(', ')
  throw new UsageError(`option --format ${format} is only for --subsystem ${known}, not ${subsystem}`)
}

/**
 * Rejects text format options that do not apply to the given mode.
 *
 * @throws UsageError
 */
export function assertOptionsApplicable({ subsystem, format }: TextFormatOptions, mode: ProxyMode): void {
  if (subsystem !== undefined) {
    rejectUnless((each) => isSubsystemSelectable(each, subsystem), mode, `option --subsystem ${subsystem}`)
  }
  if (format === 'listing') rejectUnless((each) => subsystemsOf(each).some(hasListing), mode, 'option --format listing')
}

function rejectUnless(fits: (mode: ProxyMode) => boolean, mode: ProxyMode, option: string): void {
  if (fits(mode)) return
  throw new UsageError(`${option} is only for ${listModes().filter(fits).join(' or ')} mode; the mode is ${mode}`)
}

/** Prints the rules of one family. */
export function printFamily({ state }: Pick<FamilyResult, 'state'>, format: TextFormatOptions): string {
  return print(state, resolveTextFormat(state, format))
}

/**
 * Converts text format options to the options of the compiler's `print`. For a listing without a chosen subsystem,
 * selects the first subsystem with a listing format. In ipvs mode, this subsystem contains the virtual servers.
 */
export function resolveTextFormat(
  state: NodeState,
  { subsystem, format, backend, listing }: TextFormatOptions,
): PrintOptions {
  const listed =
    format === 'listing' ? listSubsystems().find((name) => state[name] !== undefined && hasListing(name)) : undefined
  return { subsystem: subsystem ?? listed, format, backend, listing }
}

/**
 * Prints each subsystem separately and returns the texts by subsystem if the mode has several subsystems. Otherwise
 * returns undefined.
 */
export function printSubsystems(
  { mode }: CompileResult,
  { state }: FamilyResult,
  { format, backend, listing }: TextFormatOptions,
): Readonly<Record<string, string>> | undefined {
  const names = subsystemsOf(mode)
  if (names.length === 1) return undefined
  return Object.fromEntries(
    names.map((subsystem) => [subsystem, print(state, { subsystem, format, backend, listing })]),
  )
}

function hasListing(subsystem: Subsystem): boolean {
  return formatsOf(subsystem).includes('listing')
}
