import { escapeControls } from '@kube-rules/types'
import type { Answer } from './answer.js'

/** Three lines: what happens, why, and what to do. */
export function printAnswer({ happens, why, todo }: Pick<Answer, 'happens' | 'why' | 'todo'>): string {
  return [happens, `why: ${why}`, `do: ${todo}`].map((line) => `${escapeControls(line)}\n`).join('')
}
