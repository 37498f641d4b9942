import { checkComparison, checkSideNames } from '../arguments/check-results.js'
import type { ComparedSide, Comparison, Difference } from '../compare/comparison.js'
import {
  formatCause,
  formatComparisonSummary,
  formatExpectedDifferences,
  formatSide,
  formatUncomparedDestinations,
  type SideNames,
} from '../compare/format-comparison.js'
import { buildView, createViewDraft, type ViewDraft } from './draft.js'
import { parseServiceReference, toRuleReference } from './references.js'
import type { RuleReference, View, ViewSeverity } from './view.js'

/**
 * Returns the view of a comparison: first the differences, then the undetermined classes, then the classes that are
 * contested on both sides. Each entry shows how both sides handle the packets. The number of compared classes and the expected differences come last.
 */
export function comparisonView(comparison: Comparison, names: SideNames): View {
  checkComparison('comparison', comparison)
  checkSideNames('names', names)
  const { differences, inconclusive, contested = [] } = comparison
  const declared = formatExpectedDifferences(comparison, names)
  const left = formatUncomparedDestinations(comparison)
  return buildView([
    ...differences.map((difference) => differenceDraft('differs', difference, names)),
    ...inconclusive.map((difference) => differenceDraft('inconclusive', difference, names)),
    ...contested.map((difference) => differenceDraft('contested', difference, names)),
    createViewDraft('summary', formatComparisonSummary(comparison), { severity: severityOf(comparison) }),
    ...(declared === undefined ? [] : [createViewDraft('expectedDifferences', declared)]),
    ...(left === undefined ? [] : [createViewDraft('notCompared', left, { severity: 'warning' })]),
  ])
}

/** Returns the severity. Differences due to known limitations of a mode are expected, so they are `ok`. */
function severityOf({ equal, differences, inconclusive, contested, expected, notCompared }: Comparison): ViewSeverity {
  if (differences.length > 0) return 'error'
  if (notCompared !== undefined || contested !== undefined) return 'warning'
  return equal || (expected !== undefined && inconclusive.length === 0) ? 'ok' : 'warning'
}

function differenceDraft(
  kind: 'differs' | 'inconclusive' | 'contested',
  difference: Difference,
  names: SideNames,
): ViewDraft {
  const { condition, services, classes, occupied = [], causes = [], reason } = difference
  const word = { differs: 'differs', inconclusive: 'undetermined', contested: `contested in ${names.join(' and ')}` }[
    kind
  ]
  const whose = services.length === 0 ? '' : ` (${services.join(', ')})`
  const [servicePort, ...others] = services
  return createViewDraft(kind, `${word}: ${condition}${whose}${classes > 1 ? `, ${classes} classes` : ''}`, {
    severity: kind === 'differs' ? 'error' : 'warning',
    ...(others.length === 0 && { servicePort }),
    objects: services.flatMap(parseServiceReference),
    children: [
      ...sideDrafts(difference, names),
      ...(occupied.length === 0 ? [] : [createViewDraft('occupied', `in use before: ${formatOccupied(occupied)}`)]),
      ...(reason === undefined ? [] : [createViewDraft('rejectionReason', `because: ${reason}`)]),
      ...causes.map((cause) => createViewDraft('versionCause', formatCause(cause))),
    ],
  })
}

/** Returns the outcomes on both sides; one line if both sides leave the same choice to chance. */
function sideDrafts({ a, b }: Difference, names: SideNames): readonly ViewDraft[] {
  const [before, after] = [formatSide(a), formatSide(b)]
  if (before === after && a.choices !== undefined) return [createViewDraft('side', before, { rules: rulesOfSide(a) })]
  return [
    createViewDraft('side', `${names[0]}: ${before}`, { rules: rulesOfSide(a) }),
    createViewDraft('side', `${names[1]}: ${after}`, { rules: rulesOfSide(b) }),
  ]
}

function formatOccupied(occupied: NonNullable<Difference['occupied']>): string {
  return occupied.map(({ destination, occupant }) => `${destination} (${occupant})`).join(', ')
}

/** Returns the distinct rules of all paths of the example packet. */
function rulesOfSide({ paths }: ComparedSide): readonly RuleReference[] {
  const rules = new Map<string, RuleReference>()
  for (const step of paths.flatMap(({ steps }) => steps)) {
    const rule = toRuleReference(step)
    rules.set(JSON.stringify([rule.location, rule.text]), rule)
  }
  return [...rules.values()]
}
