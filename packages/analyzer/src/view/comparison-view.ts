import type { ComparedSide, Comparison, Difference } from '../compare/compare-sides.js'
import {
  formatCause,
  formatExpectedDifferences,
  formatNotCompared,
  formatSide,
  formatSummary,
  type SideNames,
} from '../compare/format-comparison.js'
import { type Draft, draft, viewOf } from './draft.js'
import { ruleOfStep, serviceOf } from './references.js'
import type { RuleReference, View, ViewSeverity } from './view.js'

/**
 * Returns the view of a comparison: differences, then undetermined classes, both with the handling by each side. The
 * number of compared classes and the expected differences follow.
 */
export function comparisonView(comparison: Comparison, names: SideNames): View {
  const { differences, inconclusive } = comparison
  const declared = formatExpectedDifferences(comparison, names)
  const left = formatNotCompared(comparison)
  return viewOf([
    ...differences.map((difference) => differenceDraft('differs', difference, names)),
    ...inconclusive.map((difference) => differenceDraft('inconclusive', difference, names)),
    draft('summary', formatSummary(comparison), { severity: severityOf(comparison) }),
    ...(declared === undefined ? [] : [draft('expectedDifferences', declared)]),
    ...(left === undefined ? [] : [draft('notCompared', left, { severity: 'warning' })]),
  ])
}

/** Differences by known limitations are expected. */
function severityOf({ equal, differences, inconclusive, expected, notCompared }: Comparison): ViewSeverity {
  if (differences.length > 0) return 'error'
  if (notCompared !== undefined) return 'warning'
  return equal || (expected !== undefined && inconclusive.length === 0) ? 'ok' : 'warning'
}

const WORDS = { differs: 'differs', inconclusive: 'undetermined' } as const

function differenceDraft(kind: keyof typeof WORDS, difference: Difference, names: SideNames): Draft {
  const { condition, services, classes, a, b, causes = [] } = difference
  const whose = services.length === 0 ? '' : ` (${services.join(', ')})`
  const [servicePort, ...others] = services
  return draft(kind, `${WORDS[kind]}: ${condition}${whose}${classes > 1 ? `, ${classes} classes` : ''}`, {
    severity: kind === 'differs' ? 'error' : 'warning',
    ...(others.length === 0 && { servicePort }),
    objects: services.flatMap(serviceOf),
    children: [
      ...[a, b].map((side, index) =>
        draft('side', `${names[index]}: ${formatSide(side)}`, { rules: rulesOfSide(side) }),
      ),
      ...causes.map((cause) => draft('versionCause', formatCause(cause))),
    ],
  })
}

/** Returns the distinct rules of all paths of the example packet. */
function rulesOfSide({ paths }: ComparedSide): readonly RuleReference[] {
  const rules = new Map<string, RuleReference>()
  for (const step of paths.flatMap(({ steps }) => steps)) {
    const rule = ruleOfStep(step)
    rules.set(JSON.stringify([rule.location, rule.text]), rule)
  }
  return [...rules.values()]
}
