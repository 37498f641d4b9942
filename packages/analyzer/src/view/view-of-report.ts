import type { DriftKind } from '@kube-rules/compiler/internal/dataplane/comparison'
import type { Drift, DriftGroup, FamilyReport, NodeVerdict, VerifyReport } from '../verify/report.js'
import { type Draft, draft, viewOf } from './draft.js'
import { ruleNamed, serviceOf } from './references.js'
import type { View, ViewSeverity } from './view.js'

/**
 * Why the drift may be no fault of the node, the drift by service port, then the verdict. Lines that should be there begin
 * with `+`, lines that are there with `-`. The family is named where several were verified. `comparedWith` says what the
 * node was compared with, where that is in doubt.
 */
export function viewOfReport(report: VerifyReport, comparedWith: string): View {
  const note = ({ family }: FamilyReport) => (report.families.length > 1 ? ` (${family})` : '')
  return viewOf([
    ...viewOfDoubts(report, comparedWith),
    ...report.families.flatMap((family) => family.drift.map((group) => groupDraft(group, note(family)))),
    draft('verdict', verdictText(report), { severity: VERDICTS[report.verdict] }),
  ])
}

/** Why the drift may be no fault of the node, each reason once: it is mostly the same for both families. Empty without. */
export function viewOfDoubts({ families }: VerifyReport, comparedWith: string): View {
  const doubts = new Set(families.flatMap((family) => family.doubts.map(({ message }) => message)))
  if (doubts.size === 0) return []
  return viewOf([
    ...Array.from(doubts, (message) => draft('doubt', `doubt: ${message}`, { severity: 'warning' })),
    draft('comparedWith', `compared with: ${comparedWith}`),
  ])
}

/** What the report does not cover, as warnings. */
export function viewOfCoverage({ families }: VerifyReport): View {
  return viewOf(families.flatMap((family) => [...unverifiedDrafts(family), ...leftAloneDrafts(family)]))
}

function groupDraft({ servicePort, drift }: DriftGroup, note: string): Draft {
  const about = { servicePort, objects: serviceOf(servicePort) }
  return draft('servicePort', `${servicePort === '' ? 'of no single service port' : servicePort}${note}`, {
    ...about,
    severity: 'error',
    children: drift.map((each) => driftDraft(each, about)),
  })
}

function driftDraft(drift: Drift, about: Partial<Draft>): Draft {
  const { language, place, kind, wanted, found, reason } = drift
  const lines = (kind: 'wanted' | 'found', text: string | undefined, sign: string) =>
    (text?.split('\n') ?? []).map((line) =>
      draft(kind, `${sign} ${line}`, { ...about, rules: [{ language, place, text: line }] }),
    )
  return draft('drift', `${place} ${kind}: ${reason}`, {
    ...about,
    severity: 'error',
    rules: [{ language, place, text: '' }],
    children: [
      ...(kind === 'misplaced' && found === wanted ? [] : lines('found', found, '-')),
      ...lines('wanted', wanted, '+'),
    ],
  })
}

const VERDICTS: Readonly<Record<NodeVerdict, ViewSeverity>> = {
  noDrift: 'good',
  drift: 'error',
  notVerified: 'warning',
}

const KINDS: readonly DriftKind[] = ['missing', 'extra', 'changed', 'misplaced']

function verdictText(report: VerifyReport): string {
  const parts = report.families.flatMap(({ family, unverified }) => unverified.map(({ part }) => `${family} ${part}`))
  const unknown = `not verified: ${parts.join(', ')}`
  if (report.verdict === 'drift') return parts.length === 0 ? countText(report) : `${countText(report)}; ${unknown}`
  return report.verdict === 'noDrift' ? 'no drift' : unknown
}

function countText({ families }: VerifyReport): string {
  const drift = families.flatMap((family) => family.drift.flatMap((group) => group.drift))
  const counts = KINDS.map((kind) => ({ kind, number: drift.filter((each) => each.kind === kind).length }))
  return counts.flatMap(({ kind, number }) => (number === 0 ? [] : [`${number} ${kind}`])).join(', ')
}

function unverifiedDrafts({ family, unverified }: FamilyReport): readonly Draft[] {
  return unverified.map(({ part, reason }) =>
    draft('unverified', `warning: ${family} ${part} not verified: ${reason}`, { severity: 'warning' }),
  )
}

function leftAloneDrafts({ family, otherChains }: FamilyReport): readonly Draft[] {
  if (otherChains.length === 0) return []
  const chains = `${otherChains.length} KUBE chain${otherChains.length === 1 ? '' : 's'}`
  return [
    draft('leftAlone', `warning: ${family}: ${chains} left alone that no kube-proxy makes (-o json names them)`, {
      severity: 'warning',
      rules: otherChains.map(ruleNamed),
    }),
  ]
}
