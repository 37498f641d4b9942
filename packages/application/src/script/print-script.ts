import type { ToolCommand } from '@kube-rules/compiler'
import { escapeControlCharacters } from '@kube-rules/types/internal/escape-control-characters'
import { quotePrintf, quoteWords } from './quote-word.js'

/**
 * Prints commands as a script for `sh` that is equivalent to `runCommands`. The script executes the commands in order
 * with exactly their arguments and standard input. It stops at the first failure that is not allowed, with the exit
 * code of the tool. Returns an empty text if there are no commands.
 *
 * The script is one subshell, which a shell parses completely before it runs any command. A truncated script therefore
 * executes nothing, and a failure in a pasted script ends only the subshell. Throws if a command contains a NUL,
 * because a NUL cannot be passed to a program.
 */
export function printScript(commands: readonly ToolCommand[]): string {
  if (commands.length === 0) return ''
  return `#!/bin/sh\n# Stops at the first command that fails.\n(\n${commands.map(printRun).join('\n')})\n`
}

function printRun(toolCommand: ToolCommand): string {
  const { tool, args, input, purpose, skipIf, allowFailure } = toolCommand
  if ([tool, input, ...args, ...(skipIf ?? [])].some((text) => text.includes('\0'))) {
    throw new Error(`a command contains a NUL: ${escapeControlCharacters(quoteWords([tool, ...args]))}`)
  }
  const { before, after, body } = standardInput(input)
  const question = skipIf === undefined ? '' : `${quoteWords([tool, ...skipIf])} </dev/null >/dev/null 2>&1 ||\n`
  const command = `${before}${quoteWords([tool, ...args])}${after}`
  return `# ${noteOf(purpose, skipIf, allowFailure)}\n${question}${command} || ${onFailure(toolCommand)}\n${body}`
}

/** Returns the shell command to run after a failure: an exit, unless the exit status means that there was nothing to do. */
function onFailure({ allowFailure, nothingToDo = [1], toolMayBeMissing }: ToolCommand): string {
  const statuses = [...(allowFailure ? nothingToDo : []), ...(toolMayBeMissing ? [NO_SUCH_TOOL] : [])]
  return statuses.length === 0 ? 'exit' : `case $? in ${statuses.join('|')}) ;; *) exit ;; esac`
}

/** The exit status of a shell for a program that does not exist. */
const NO_SUCH_TOOL = 127

function noteOf(purpose: string, unless: ToolCommand['skipIf'], allowFailure: ToolCommand['allowFailure']): string {
  const notes = [
    ...(unless === undefined ? [] : ['unless already done']),
    ...(allowFailure ? ['also fails if there is nothing to do'] : []),
  ]
  return escapeControlCharacters([purpose, ...notes].join('; '))
}

/**
 * Shell text that provides the standard input of a command. It has three parts: before the command, after the command,
 * and on the lines below.
 */
interface StandardInput {
  readonly before: string
  readonly after: string
  readonly body: string
}

function standardInput(input: string): StandardInput {
  // The command must not inherit the standard input of the shell. This input may be the script itself.
  if (input === '') return { before: '', after: ' </dev/null', body: '' }
  // A here-document always ends in a line break, and dash corrupts some non-ASCII lines.
  if (!/^[\t\n -~]*\n$/.test(input)) return { before: `${quotePrintf(input)} | `, after: '', body: '' }
  const end = delimiterFor(input)
  return { before: '', after: ` <<'${end}'`, body: `${input}${end}\n` }
}

/** Returns a here-document delimiter: `END`, or a similar word if the text contains a line `END`. */
function delimiterFor(text: string): string {
  const lines = new Set(text.split('\n'))
  let end = 'END'
  while (lines.has(end)) end += '_'
  return end
}
