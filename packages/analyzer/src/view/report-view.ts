import { checkString } from '@kube-rules/compiler/internal/arguments/check-argument'
import type { DriftKind } from '@kube-rules/compiler/internal/dataplane/comparison'
import { checkReport } from '../arguments/check-results.js'
import type { Drift, DriftGroup, FamilyReport, NodeVerdict, VerifyReport } from '../verify/report.js'
import { buildView, createViewDraft, type ViewDraft } from './draft.js'
import { parseRuleReference, parseServiceReference } from './references.js'
import type { View, ViewSeverity } from './view.js'

/**
 * Returns the view of a report: the caveats, the drift by service port, then the verdict. Expected lines begin with
 * `+`, and actual lines begin with `-`. The family is shown if several families were verified. `comparedWith` describes
 * the compared state in caveats.
 */
export function reportView(report: VerifyReport, comparedWith: string): View {
  checkReport('report', report)
  const note = ({ family }: FamilyReport) => (report.families.length > 1 ? ` (${family})` : '')
  return buildView([
    ...caveatsView(report, comparedWith),
    ...report.families.flatMap((family) => family.drift.map((group) => groupDraft(group, note(family)))),
    createViewDraft('verdict', formatVerdict(report), { severity: VERDICTS[report.verdict] }),
  ])
}

/** Returns the view of caveats, without duplicates, because both families mostly have the same caveats. */
export function caveatsView(report: VerifyReport, comparedWith: string): View {
  checkReport('report', report)
  checkString('comparedWith', comparedWith, 'a description of the compared state')
  const caveats = new Set(report.families.flatMap((family) => family.caveats.map(({ message }) => message)))
  if (caveats.size === 0) return []
  return buildView([
    ...Array.from(caveats, (message) => createViewDraft('caveat', `caveat: ${message}`, { severity: 'warning' })),
    createViewDraft('comparedWith', `compared with: ${comparedWith}`),
  ])
}

/** Returns warnings about the parts that a report could not verify. */
export function coverageView(report: VerifyReport): View {
  checkReport('report', report)
  return buildView(report.families.flatMap((family) => [...unverifiedDrafts(family), ...leftAloneDrafts(family)]))
}

function groupDraft({ servicePort, drift }: DriftGroup, note: string): ViewDraft {
  const about = { servicePort, objects: parseServiceReference(servicePort) }
  return createViewDraft('servicePort', `${servicePort === '' ? 'shared by all service ports' : servicePort}${note}`, {
    ...about,
    severity: 'error',
    children: drift.map((each) => driftDraft(each, about)),
  })
}

function driftDraft(drift: Drift, about: Partial<ViewDraft>): ViewDraft {
  const { subsystem, location, kind, expected, found, reason } = drift
  const lines = (kind: 'expected' | 'found', text: string | undefined, sign: string) =>
    (text?.split('\n') ?? []).map((line) =>
      createViewDraft(kind, `${sign} ${line}`, { ...about, rules: [{ subsystem, location, text: line }] }),
    )
  return createViewDraft('drift', `${location} ${kind}: ${reason}`, {
    ...about,
    severity: 'error',
    rules: [{ subsystem, location, text: '' }],
    children: [
      ...(kind === 'misplaced' && found === expected ? [] : lines('found', found, '-')),
      ...lines('expected', expected, '+'),
    ],
  })
}

const VERDICTS: Readonly<Record<NodeVerdict, ViewSeverity>> = {
  noDrift: 'ok',
  drift: 'error',
  notVerified: 'warning',
}

const KINDS: readonly DriftKind[] = ['missing', 'extra', 'changed', 'misplaced']

function formatVerdict(report: VerifyReport): string {
  const parts = report.families.flatMap(({ family, unverified }) => unverified.map(({ part }) => `${family} ${part}`))
  const notVerified = `not verified: ${parts.join(', ')}`
  if (report.verdict === 'drift')
    return parts.length === 0 ? formatCount(report) : `${formatCount(report)}; ${notVerified}`
  return report.verdict === 'noDrift' ? 'no drift' : notVerified
}

function formatCount({ families }: VerifyReport): string {
  const drift = families.flatMap((family) => family.drift.flatMap((group) => group.drift))
  const counts = KINDS.map((kind) => ({ kind, number: drift.filter((each) => each.kind === kind).length }))
  return counts.flatMap(({ kind, number }) => (number === 0 ? [] : [`${number} ${kind}`])).join(', ')
}

function unverifiedDrafts({ family, unverified }: FamilyReport): readonly ViewDraft[] {
  return unverified.map(({ part, reason }) =>
    createViewDraft('unverified', `warning: ${family} ${part} not verified: ${reason}`, { severity: 'warning' }),
  )
}

function leftAloneDrafts({ family, otherChains }: FamilyReport): readonly ViewDraft[] {
  if (otherChains.length === 0) return []
  const chains = `${otherChains.length} KUBE- chain${otherChains.length === 1 ? '' : 's'}`
  return [
    createViewDraft(
      'leftAlone',
      `warning: ${family}: ignored ${chains} that no kube-proxy creates (-o json lists them)`,
      {
        severity: 'warning',
        rules: otherChains.map(parseRuleReference),
      },
    ),
  ]
}
