import type { VerifyReport } from '@kube-rules/compiler'
import type { Drift, DriftGroup, DriftKind, FamilyReport } from '@kube-rules/compiler/verify'
import { count } from '../../report/count.js'
import { escapeControls } from '../../report/print-message.js'

/**
 * Why the drift may be no fault of the node, the drift by service port, then the verdict. Lines that should be there begin
 * with `+`, lines that are there with `-`. The family is named where several were verified. `comparedWith` says what the
 * node was compared with, where that is in doubt.
 */
export function printReport(report: VerifyReport, comparedWith: string): string {
  const doubts = doubtLines(report, comparedWith)
  const groups = report.families.flatMap(({ family, drift }) =>
    drift.map((group) => ({ group, note: report.families.length > 1 ? ` (${family})` : '' })),
  )
  const blocks = groups.map(({ group, note }) => groupLines(group, note).join('\n'))
  return `${[...(doubts.length > 0 ? [doubts.join('\n')] : []), ...blocks, verdictLine(report)].join('\n\n')}\n`
}

/** Each doubt once: it is mostly the same for both families. */
export function doubtLines({ families }: VerifyReport, comparedWith: string): readonly string[] {
  const doubts = new Set(families.flatMap((family) => family.doubts.map(({ message }) => message)))
  if (doubts.size === 0) return []
  return [...Array.from(doubts, (message) => `doubt: ${escapeControls(message)}`), `compared with: ${comparedWith}`]
}

function groupLines({ servicePort, drift }: DriftGroup, note: string): readonly string[] {
  const heading = servicePort === '' ? 'of no single service port' : escapeControls(servicePort)
  return [`${heading}${note}`, ...drift.flatMap(driftLines)]
}

function driftLines({ place, kind, wanted, found, reason }: Drift): readonly string[] {
  return [
    escapeControls(`  ${place} ${kind}: ${reason}`),
    ...(kind === 'misplaced' ? [] : linesOf(found, '-')),
    ...linesOf(wanted, '+'),
  ]
}

function linesOf(text: string | undefined, sign: string): readonly string[] {
  return text?.split('\n').map((line) => `    ${sign} ${escapeControls(line)}`) ?? []
}

const KINDS: readonly DriftKind[] = ['missing', 'extra', 'changed', 'misplaced']

function verdictLine(report: VerifyReport): string {
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

/** What the report does not cover, as warnings. */
export function coverageLines({ families }: VerifyReport): readonly string[] {
  return families.flatMap((family) => [
    ...unverifiedLines(family),
    ...(family.otherChains.length === 0 ? [] : [`warning: ${family.family}: ${otherText(family.otherChains.length)}`]),
  ])
}

export function unverifiedLines({ family, unverified }: FamilyReport): readonly string[] {
  return unverified.map(({ part, reason }) => `warning: ${family} ${part} not verified: ${reason}`)
}

function otherText(number: number): string {
  return `${count(number, 'KUBE chain')} left alone that no kube-proxy makes (-o json names them)`
}
