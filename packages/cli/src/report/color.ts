import { styleText } from 'node:util'
import type { Context } from '../context.js'

/** Whether messages are coloured: only on a terminal, and neither `NO_COLOR` nor `--no-color` says otherwise. */
export function usesColor({ stderr, env, args }: Context): boolean {
  return stderr.isTTY && !env.NO_COLOR && !args.includes('--no-color')
}

/** The line with its first word, `error:` or `warning:`, in red or yellow. */
export function colorSeverity(line: string): string {
  return line.replace(/^(?:error|warning):/, (word) => {
    const color = word === 'error:' ? 'red' : 'yellow'
    return styleText(color, word, { validateStream: false })
  })
}
