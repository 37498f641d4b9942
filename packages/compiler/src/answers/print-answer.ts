import { escapeControls } from '@kube-rules/types'
import type { Answer } from './answer.js'

/** Three lines: what happens, why, with the place of the rule where it is known, and what to do. */
export function printAnswer({
  happens,
  why,
  todo,
  source,
}: Pick<Answer, 'happens' | 'why' | 'todo' | 'source'>): string {
  const place = source === undefined ? '' : ` [${source}]`
  return [happens, `why: ${why}${place}`, `do: ${todo}`].map((line) => `${escapeControls(line)}\n`).join('')
}
