import { destinationText } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-text'
import { escapeControls, type Origin } from '@kube-rules/types'
import type { ShortWhy } from '../explain/explain-ways.js'
import { ORIGINS, type SurveyRow } from '../explain/survey.js'
import { type Draft, draft, viewOf } from './draft.js'
import { serviceOf } from './references.js'
import type { View, ViewSeverity } from './view.js'

const TITLES: Readonly<Record<Origin, string>> = { pod: 'from a pod', node: 'from the node', outside: 'from outside' }

/**
 * Returns the view of a reachability table: a line with headings, and an aligned line per frontend; origins without any
 * outcome are left out. With a plan, the last column has the reason, and the expected outcome if the rules deviate.
 */
export function viewOfSurvey(rows: readonly SurveyRow[]): View {
  const origins = ORIGINS.filter((origin) => rows.some(({ outcomes }) => outcomes[origin] !== undefined))
  const isExplained = rows.some(({ why }) => why !== undefined)
  const headings = ['service port', 'frontend', ...origins.map((origin) => TITLES[origin]), isExplained ? 'why' : '']
  const cells = rows.map((row) =>
    [
      row.frontend.owner === '' ? '-' : row.frontend.owner,
      destinationText(row.frontend),
      ...origins.map((origin) => row.outcomes[origin] ?? '-'),
      whyText(row, origins),
    ].map(escapeControls),
  )
  const line = alignedLines([headings, ...cells])
  return viewOf([
    draft('heading', line(headings), { cells: headings }),
    ...rows.map((row, index) => frontendDraft(row, line(cells[index] ?? []), cells[index] ?? [])),
  ])
}

function frontendDraft({ frontend: { owner }, why = {} }: SurveyRow, line: string, cells: readonly string[]): Draft {
  return draft('frontend', line, {
    cells,
    severity: severityOf(Object.values(why)),
    servicePort: owner,
    objects: serviceOf(owner),
  })
}

function severityOf(reasons: readonly ShortWhy[]): ViewSeverity {
  if (reasons.some(({ difference }) => difference === 'rules')) return 'error'
  return reasons.some(({ difference }) => difference !== undefined) ? 'warning' : 'none'
}

/** Formats reasons: `policy Cluster`, or `pod: policy Cluster; node, outside: not from a pod`. */
function whyText({ why }: SurveyRow, origins: readonly Origin[]): string {
  const byText = new Map<string, Origin[]>()
  for (const origin of origins) {
    const reason = why?.[origin]
    if (reason === undefined) continue
    const text = reasonText(reason)
    byText.set(text, [...(byText.get(text) ?? []), origin])
  }
  const texts = [...byText].map(([text, from]) => (byText.size === 1 ? text : `${from.join(', ')}: ${text}`))
  return texts.join('; ')
}

/** Formats a reason. An unknown condition is already part of the outcome. */
function reasonText({ reason, otherwise, difference }: ShortWhy): string {
  if (otherwise === undefined || difference === 'unknown') return reason
  const note = difference === 'mode' ? ', a limitation of this mode' : ''
  return `${reason}, but the objects expect something else${note}: ${otherwise}`
}

function alignedLines(rows: readonly (readonly string[])[]): (row: readonly string[]) => string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return (row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
}
