import { styleText } from 'node:util'
import type { Context } from '../context.js'

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
