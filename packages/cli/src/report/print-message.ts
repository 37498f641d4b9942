import { escapeControls } from '@kube-rules/types'
import type { Context } from '../context.js'
import { colorSeverity, usesColor } from './color.js'

/** Writes lines to standard error, each on one line and not too long, whatever it quotes. A closed standard error is no failure. */
export async function printMessages(context: Context, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return
  const paint = usesColor(context, 'stderr') ? colorSeverity : (line: string) => line
  const text = lines.map((line) => `${paint(cutLine(escapeControls(line)))}\n`).join('')
  await context.stderr.write(text).catch(() => {})
}

/** How many characters a line may have before it is cut: names may be of any length. */
const LONGEST_LINE = 400

/** A long line without its middle: what it is about stands at its ends. */
function cutLine(line: string): string {
  const characters = [...line]
  const excess = characters.length - LONGEST_LINE
  if (excess <= 0) return line
  const half = LONGEST_LINE / 2
  return `${characters.slice(0, half).join('')} … ${excess} characters … ${characters.slice(-half).join('')}`
}
