import { styleText } from 'node:util'
import { formatCount, formatMessageLine, getSystemErrorCode, InputError } from '@kube-rules/application/messages'
import type { Diagnostic } from '@kube-rules/types'
import type { CliContext } from './cli-context.js'

/**
 * Reports whether output to a stream is colored. The stream must be a terminal that is not `dumb`, and neither
 * `NO_COLOR` nor `--no-color` is set.
 */
export function shouldUseColor({ env, args, ...streams }: CliContext, stream: 'stdout' | 'stderr'): boolean {
  return streams[stream].isTTY && env.TERM !== 'dumb' && !env.NO_COLOR && !args.includes('--no-color')
}

/**
 * Colors a report for standard output on a terminal: additions are green, and removals are red. This applies to
 * indented lines with `+` and `-`, to lines with `added` and `removed`, and to the counts `+2 -1`.
 */
export function highlightChanges(context: CliContext, text: string): string {
  if (!shouldUseColor(context, 'stdout')) return text
  const paint = (color: 'green' | 'red') => (word: string) => styleText(color, word, { validateStream: false })
  return text
    .replace(/^ +\+ .*$|^added .*$|^\+\d+/gm, paint('green'))
    .replace(/^ +- .*$|^removed .*$/gm, paint('red'))
    .replace(/(?<=^\S+ )-\d+(?= endpoints)/gm, paint('red'))
}

/** Colours the first word of a line, `error:` or `warning:`, red or yellow. */
function colorSeverity(line: string): string {
  return line.replace(/^(?:error|warning):/, (word) => {
    const color = word === 'error:' ? 'red' : 'yellow'
    return styleText(color, word, { validateStream: false })
  })
}

/** Writes lines to standard error, each on one line of limited length. A closed standard error is not a failure. */
export async function printMessages(context: CliContext, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return
  const paint = shouldUseColor(context, 'stderr') ? colorSeverity : (line: string) => line
  const text = lines.map((line) => `${paint(formatMessageLine(line))}\n`).join('')
  await context.stderr.write(text).catch(() => {})
}

/**
 * Writes to standard output and ignores EPIPE. If a reader stops early, the exit code therefore still shows whether
 * there is a difference.
 */
export async function writeIgnoringClosedPipe(context: CliContext, text: string): Promise<void> {
  try {
    await context.stdout.write(text)
  } catch (error) {
    if (getSystemErrorCode(error) !== 'EPIPE') throw error
  }
}

/**
 * Implements `--strict`: throws if a diagnostic is an error. The thrown error contains the diagnostics that are not
 * printed yet (`unprinted`; default: all diagnostics).
 *
 * @throws InputError
 */
export function assertNoErrors(diagnostics: readonly Diagnostic[], unprinted = diagnostics): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length
  if (errors === 0) return
  throw new InputError(`nothing is printed, because of --strict and ${formatCount(errors, 'error')}`, unprinted)
}
