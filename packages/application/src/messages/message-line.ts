import { escapeControls } from '@kube-rules/types'

/** A message as it is printed: on one line and not too long, whatever it quotes. */
export function messageLine(text: string): string {
  return cutLine(escapeControls(text))
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
