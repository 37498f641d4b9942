import { styleText } from 'node:util'
import { count, InputError, messageLine, systemCode } from '@kube-rules/application/messages'
import type { Diagnostic } from '@kube-rules/types'
import type { Context } from './context.js'

/**
 * Whether what is written to a stream is coloured: only on a terminal that is not `dumb`, and where neither `NO_COLOR` nor
 * `--no-color` says otherwise.
 */
export function usesColor({ env, args, ...streams }: Context, stream: 'stdout' | 'stderr'): boolean {
  return streams[stream].isTTY && env.TERM !== 'dumb' && !env.NO_COLOR && !args.includes('--no-color')
}

/**
 * A report for standard output, on a terminal with green for what is there in addition and red for what is missing: indented
 * lines behind `+` and `-`, the lines `added` and `removed`, and the counts `+2 -1`.
 */
export function paintChanges(context: Context, text: string): string {
  if (!usesColor(context, 'stdout')) return text
  const paint = (color: 'green' | 'red') => (word: string) => styleText(color, word, { validateStream: false })
  return text
    .replace(/^ +\+ .*$|^added .*$|^\+\d+/gm, paint('green'))
    .replace(/^ +- .*$|^removed .*$/gm, paint('red'))
    .replace(/(?<=^\S+ )-\d+(?= endpoints)/gm, paint('red'))
}

/** The line with its first word, `error:` or `warning:`, in red or yellow. */
export function colorSeverity(line: string): string {
  return line.replace(/^(?:error|warning):/, (word) => {
    const color = word === 'error:' ? 'red' : 'yellow'
    return styleText(color, word, { validateStream: false })
  })
}

/** Writes lines to standard error, each on one line and not too long, whatever it quotes. A closed standard error is no failure. */
export async function printMessages(context: Context, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return
  const paint = usesColor(context, 'stderr') ? colorSeverity : (line: string) => line
  const text = lines.map((line) => `${paint(messageLine(line))}\n`).join('')
  await context.stderr.write(text).catch(() => {})
}

/** Writes to standard output. What differs does not depend on a reader that has had enough. */
export async function writeToWhoListens(context: Context, text: string): Promise<void> {
  try {
    await context.stdout.write(text)
  } catch (error) {
    if (systemCode(error) !== 'EPIPE') throw error
  }
}

/**
 * Throws InputError, for `--strict`, where one of the diagnostics is an error. `unprinted` are those to be printed with
 * its message; default: all.
 */
export function refuseErrors(diagnostics: readonly Diagnostic[], unprinted = diagnostics): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length
  if (errors === 0) return
  throw new InputError(`nothing is printed, because of --strict and ${count(errors, 'error')}`, unprinted)
}
