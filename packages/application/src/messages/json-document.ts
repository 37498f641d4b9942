import { escapeControls } from '@kube-rules/types'

/** One JSON document, with its version. What a terminal would obey is written as JSON has it: `\u202e`. */
export function jsonDocument(fields: object): string {
  const lines = JSON.stringify({ schemaVersion: 1, ...fields }, null, 2).split('\n')
  return lines.map((line) => `${escapeControls(line)}\n`).join('')
}
