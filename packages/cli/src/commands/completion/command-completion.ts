import type { OptionTable } from '../../options/option.js'

/** The completion data of one command. */
export interface CommandCompletion {
  readonly name: string
  readonly summary: string
  readonly options: OptionTable
  /** The possible operands; if empty, file names are completed. */
  readonly words: readonly string[]
}

/** Words that `kube-rules` accepts in place of a command, with their summaries. */
export const BUILT_IN_COMMANDS: readonly (readonly [string, string])[] = [
  ['help', 'Print the commands, or the options of one.'],
  ['version', 'Print the version.'],
]
