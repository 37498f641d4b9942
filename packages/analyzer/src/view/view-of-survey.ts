import { destinationText } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-text'
import { escapeControls, type Origin } from '@kube-rules/types'
import type { ShortWhy } from '../explain/explain-ways.js'
import { ORIGINS, type SurveyRow } from '../explain/survey.js'
import { type Draft, draft, viewOf } from './draft.js'
import { serviceOf } from './references.js'
import type { View, ViewSeverity } from './view.js'

const TITLES: Readonly<Record<Origin, string>> = { pod: 'from a pod', node: 'from the node', outside: 'from outside' }

/**
 * A line for each frontend below one with headings, its columns aligned by blanks; origins that no row has are left out. The
 * last column says why, where there is a plan, and what the objects ask for where the rules do otherwise.
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

/** `policy Cluster`, or `pod: policy Cluster; node, outside: not from a pod`. */
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

/** Where it depends on what cannot be told, the outcome says so. */
function reasonText({ reason, otherwise, difference }: ShortWhy): string {
  if (otherwise === undefined || difference === 'unknown') return reason
  const note = difference === 'mode' ? ', which kube-proxy does not do in this mode' : ''
  return `${reason}, but the objects ask for something else${note}: ${otherwise}`
}

function alignedLines(rows: readonly (readonly string[])[]): (row: readonly string[]) => string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return (row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
}
