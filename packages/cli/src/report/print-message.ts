import { messageLine } from '@kube-rules/application/messages'
import type { Context } from '../context.js'
import { colorSeverity, usesColor } from './color.js'

/** Writes lines to standard error, each on one line and not too long, whatever it quotes. A closed standard error is no failure. */
export async function printMessages(context: Context, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return
  const paint = usesColor(context, 'stderr') ? colorSeverity : (line: string) => line
  const text = lines.map((line) => `${paint(messageLine(line))}\n`).join('')
  await context.stderr.write(text).catch(() => {})
}
