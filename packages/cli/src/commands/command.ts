import type { Context } from '../context.js'
import type { OptionTable } from '../options/option.js'

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
  /** Does the work and returns the exit code. Throws UsageError and InputError. */
  run(context: Context): Promise<number>
}
