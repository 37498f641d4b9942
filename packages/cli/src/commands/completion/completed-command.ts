import type { OptionTable } from '../../options/option.js'

/** What a shell completes for one command. */
export interface CompletedCommand {
  readonly name: string
  readonly summary: string
  readonly options: OptionTable
  /** What an operand can be; any file where this is empty. */
  readonly words: readonly string[]
}

/** Words that `kube-rules` understands in place of a command, and what they do. */
export const OTHER_WORDS: readonly (readonly [string, string])[] = [
  ['help', 'Print the commands, or the options of one.'],
  ['version', 'Print the version.'],
]
