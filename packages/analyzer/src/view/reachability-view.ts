import { formatDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/format-destination'
import type { Origin } from '@kube-rules/types'
import { escapeControlCharacters } from '@kube-rules/types/internal/escape-control-characters'
import { checkReachability } from '../arguments/check-results.js'
import type { ReasonSummary } from '../explain/explain-paths.js'
import { ORIGINS, type ReachabilityRow } from '../explain/reachability.js'
import { buildView, createViewDraft, type ViewDraft } from './draft.js'
import { parseServiceReference } from './references.js'
import type { View, ViewSeverity } from './view.js'

const TITLES: Readonly<Record<Origin, string>> = { pod: 'from a pod', node: 'from the node', outside: 'from outside' }

/**
 * Returns the view of a reachability table: a line with headings, and an aligned line per frontend. A packet origin has
 * no column if it has no outcome for any frontend. If there is a plan, the last column has the reason, and also the
 * expected outcome if the rules deviate from the plan.
 */
export function reachabilityView(rows: readonly ReachabilityRow[]): View {
  checkReachability('rows', rows)
  const origins = ORIGINS.filter((origin) => rows.some(({ outcomes }) => outcomes[origin] !== undefined))
  const isExplained = rows.some(({ reason }) => reason !== undefined)
  const headings = ['service port', 'frontend', ...origins.map((origin) => TITLES[origin]), isExplained ? 'why' : '']
  const cells = rows.map((row) =>
    [
      row.frontend.owner === '' ? '-' : row.frontend.owner,
      formatDestination(row.frontend),
      ...origins.map((origin) => row.outcomes[origin] ?? '-'),
      formatReasons(row, origins),
    ].map(escapeControlCharacters),
  )
  const line = alignedLines([headings, ...cells])
  return buildView([
    createViewDraft('heading', line(headings), { cells: headings }),
    ...rows.map((row, index) => frontendDraft(row, line(cells[index] ?? []), cells[index] ?? [])),
  ])
}

function frontendDraft(
  { frontend: { owner }, reason = {} }: ReachabilityRow,
  line: string,
  cells: readonly string[],
): ViewDraft {
  return createViewDraft('frontend', line, {
    cells,
    severity: severityOf(Object.values(reason)),
    servicePort: owner,
    objects: parseServiceReference(owner),
  })
}

function severityOf(reasons: readonly ReasonSummary[]): ViewSeverity {
  if (reasons.some(({ divergence }) => divergence === 'drift')) return 'error'
  return reasons.some(({ divergence }) => divergence !== undefined) ? 'warning' : 'none'
}

/**
 * Formats reasons: `policy Cluster` if all packet origins have the same reason, else `pod: policy Cluster; node,
 * outside: not from a pod`.
 */
function formatReasons({ reason: why }: ReachabilityRow, origins: readonly Origin[]): string {
  const byText = new Map<string, Origin[]>()
  for (const origin of origins) {
    const reason = why?.[origin]
    if (reason === undefined) continue
    const text = formatReason(reason)
    byText.set(text, [...(byText.get(text) ?? []), origin])
  }
  const texts = [...byText].map(([text, from]) => (byText.size === 1 ? text : `${from.join(', ')}: ${text}`))
  return texts.join('; ')
}

/**
 * Formats a reason. If the rules deviate or may deviate, it explains only the outcome that the objects define, so it
 * follows that outcome. Unknown conditions are not repeated here, because the outcome already contains them.
 */
function formatReason({ reason, expectedOutcome, divergence }: ReasonSummary): string {
  if (expectedOutcome === undefined) return reason
  const note = divergence === 'modeLimitation' ? ', because of a limitation of this mode' : ''
  const start = divergence === 'undetermined' ? 'the objects define' : `the objects define a different outcome${note}:`
  return `${start} ${expectedOutcome} (${reason})`
}

function alignedLines(rows: readonly (readonly string[])[]): (row: readonly string[]) => string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return (row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
}
