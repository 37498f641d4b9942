import type { VerifyReport } from '@kube-rules/compiler'
import type { Drift, DriftGroup, DriftKind, FamilyReport } from '@kube-rules/compiler/verify'
import { escapeControls } from '@kube-rules/types'
import { count } from '../../report/count.js'

/**
 * The drift by service port, then how much there is. Lines that should be there begin with `+`, lines that are there with
 * `-`. The family is named where several were verified.
 */
export function printReport(report: VerifyReport): string {
  const groups = report.families.flatMap(({ family, drift }) =>
    drift.map((group) => ({ group, note: report.families.length > 1 ? ` (${family})` : '' })),
  )
  const blocks = groups.map(({ group, note }) => groupLines(group, note).join('\n'))
  return `${[...blocks, countLine(report)].join('\n\n')}\n`
}

function groupLines({ servicePort, drift }: DriftGroup, note: string): readonly string[] {
  const heading = servicePort === '' ? 'of no single service port' : escapeControls(servicePort)
  return [`${heading}${note}`, ...drift.flatMap(driftLines)]
}

function driftLines({ place, kind, wanted, found, reason }: Drift): readonly string[] {
  return [
    escapeControls(`  ${place} ${kind}: ${reason}`),
    ...(kind === 'misplaced' && found === wanted ? [] : linesOf(found, '-')),
    ...linesOf(wanted, '+'),
  ]
}

function linesOf(text: string | undefined, sign: string): readonly string[] {
  return text?.split('\n').map((line) => `    ${sign} ${escapeControls(line)}`) ?? []
}

const KINDS: readonly DriftKind[] = ['missing', 'extra', 'changed', 'misplaced']

function countLine({ families }: VerifyReport): string {
  const drift = families.flatMap((family) => family.drift.flatMap((group) => group.drift))
  if (drift.length === 0) return 'no drift'
  const counts = KINDS.map((kind) => ({ kind, number: drift.filter((each) => each.kind === kind).length }))
  return counts.flatMap(({ kind, number }) => (number === 0 ? [] : [`${number} ${kind}`])).join(', ')
}

/** What the report does not cover, as warnings. */
export function coverageLines({ families }: VerifyReport): readonly string[] {
  return families.flatMap(({ family, unverified, otherChains }: FamilyReport) => [
    ...unverified.map(({ part, reason }) => `warning: ${family} ${part} not verified: ${reason}`),
    ...(otherChains.length === 0 ? [] : [`warning: ${family}: ${otherText(otherChains.length)}`]),
  ])
}

function otherText(number: number): string {
  return `${count(number, 'KUBE chain')} left alone that no kube-proxy makes (-o json names them)`
}
