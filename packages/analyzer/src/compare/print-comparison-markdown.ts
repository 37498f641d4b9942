import { escapeControls } from '@kube-rules/types'
import type { Comparison, Difference } from './compare-sides.js'
import { formatExpectedDifferences, formatSide, formatSummary, type SideNames } from './format-comparison.js'

/** Prints a comparison for a pull request comment: the number of compared classes, and a table of the differences. */
export function printComparisonMarkdown(comparison: Comparison, names: SideNames): string {
  const { differences, inconclusive } = comparison
  const rows = [
    ...differences.map((difference) => row('differs', difference)),
    ...inconclusive.map((difference) => row('undetermined', difference)),
  ]
  const head = [`| | packets | services | ${names.map(cell).join(' | ')} |`, '|---|---|---|---|---|']
  const declared = formatExpectedDifferences(comparison, names)
  const lines = [
    formatSummary(comparison),
    ...(rows.length === 0 ? [] : ['', ...head, ...rows]),
    ...(declared === undefined ? [] : ['', cell(declared)]),
  ]
  return `${lines.join('\n')}\n`
}

function row(kind: string, { condition, services, a, b }: Difference): string {
  return `| ${[kind, condition, services.join(', '), formatSide(a), formatSide(b)].map(cell).join(' | ')} |`
}

/** Escapes a table cell. No name can end the cell, start a line or have a meaning in Markdown or HTML. */
function cell(text: string): string {
  return escapeControls(text).replace(/[\\`*_{}[\]<>#|!~@&]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
