import type { Context } from '../context.js'
import { colorSeverity, usesColor } from './color.js'

/** Writes lines to standard error, each on one line whatever it quotes. A closed standard error is no failure. */
export async function printMessages(context: Context, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return
  const paint = usesColor(context, 'stderr') ? colorSeverity : (line: string) => line
  const text = lines.map((line) => `${paint(escapeControls(line))}\n`).join('')
  await context.stderr.write(text).catch(() => {})
}

/** Control characters, escape sequences of terminals among them, written as `\u001b`. */
export function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
