import { escapeControls } from '@kube-rules/types'
import type { Comparison, Difference } from './compare-sides.js'
import { declaredText, type SideNames, sideText, summaryText } from './difference-words.js'

/** A comparison for a comment on a pull request: how much was looked at, and a table of what differs. */
export function printComparisonMarkdown(comparison: Comparison, names: SideNames): string {
  const { differences, undecided } = comparison
  const rows = [
    ...differences.map((difference) => row('differs', difference)),
    ...undecided.map((difference) => row('cannot tell', difference)),
  ]
  const head = [`| | packets | services | ${names.map(cell).join(' | ')} |`, '|---|---|---|---|---|']
  const declared = declaredText(comparison, names)
  const lines = [
    summaryText(comparison),
    ...(rows.length === 0 ? [] : ['', ...head, ...rows]),
    ...(declared === undefined ? [] : ['', cell(declared)]),
  ]
  return `${lines.join('\n')}\n`
}

function row(kind: string, { condition, services, a, b }: Difference): string {
  return `| ${[kind, condition, services.join(', '), sideText(a), sideText(b)].map(cell).join(' | ')} |`
}

/** Nothing that a name holds may end the cell, begin a line or mean something in Markdown or HTML. */
function cell(text: string): string {
  return escapeControls(text).replace(/[\\`*_{}[\]<>#|!~@&]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
