import { escapeControls } from '@kube-rules/types'
import type { Comparison, Difference } from './compare-sides.js'
import {
  formatCause,
  formatExpectedDifferences,
  formatSide,
  formatSummary,
  type SideNames,
} from './format-comparison.js'

/** Prints a comparison for a pull request comment: the number of compared classes, and a table of the differences. */
export function printComparisonMarkdown(comparison: Comparison, names: SideNames): string {
  const { differences, inconclusive } = comparison
  const hasCauses = differences.some(({ causes }) => causes !== undefined)
  const rows = [
    ...differences.map((difference) => row('differs', difference, hasCauses)),
    ...inconclusive.map((difference) => row('undetermined', difference, hasCauses)),
  ]
  const columns = ['', 'packets', 'services', ...names.map(cell), ...(hasCauses ? ['because'] : [])]
  const head = [`| ${columns.join(' | ')} |`.replace('|  |', '| |'), `|${'---|'.repeat(columns.length)}`]
  const declared = formatExpectedDifferences(comparison, names)
  const lines = [
    formatSummary(comparison),
    ...(rows.length === 0 ? [] : ['', ...head, ...rows]),
    ...(declared === undefined ? [] : ['', cell(declared)]),
  ]
  return `${lines.join('\n')}\n`
}

function row(kind: string, { condition, services, a, b, causes = [] }: Difference, hasCauses: boolean): string {
  const because = hasCauses ? [causes.map(formatCause).join('; ')] : []
  return `| ${[kind, condition, services.join(', '), formatSide(a), formatSide(b), ...because].map(cell).join(' | ')} |`
}

/** Escapes a table cell. No name can end the cell, start a line or have a meaning in Markdown or HTML. */
function cell(text: string): string {
  return escapeControls(text).replace(/[\\`*_{}[\]<>#|!~@&]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
