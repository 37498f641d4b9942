import type { CliContext } from '../cli-context.js'
import type { OptionTable } from '../options/option.js'

/** An exit code with its meaning in one line. */
export type ExitCodeDescription = readonly [code: string, meaning: string]

/**
 * One command of `kube-rules`. The help text of `kube-rules` loads the modules of all commands. Therefore, the options
 * and the implementation of a command are loaded only on demand.
 */
export interface Command {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** The words after `kube-rules`. */
  readonly usage: string
  /** Paragraphs for the help text. */
  readonly description: string
  /** Loads the options. Loaded on demand, because some options list the modes and subsystems of the compiler. */
  options(): Promise<OptionTable>
  /** Complete command lines. */
  readonly examples: readonly string[]
  /** The exit codes with their meanings, except the exit code for wrong usage and unusable input. */
  readonly exitCodes: readonly ExitCodeDescription[]
  /**
   * Runs the command and returns its exit code.
   *
   * @throws UsageError, InputError
   */
  run(context: CliContext): Promise<number>
}
