import type { Context } from '../context.js'
import type { OptionTable } from '../options/option.js'

/** An exit code, and what it means in one line. */
export type ExitCode = readonly [code: string, meaning: string]

/** One command of `kube-rules`. Its module is loaded for every help text: options and work are loaded when asked for. */
export interface Command {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** The words after `kube-rules`. */
  readonly usage: string
  /** Paragraphs for the help text. */
  readonly description: string
  /** Some have the compiler's modes and languages as choices. */
  options(): Promise<OptionTable>
  /** Whole command lines. */
  readonly examples: readonly string[]
  /** What its exit codes mean, but for that of wrong usage and unusable input. */
  readonly exitCodes: readonly ExitCode[]
  /** Does the work and returns the exit code. Throws UsageError and InputError. */
  run(context: Context): Promise<number>
}
