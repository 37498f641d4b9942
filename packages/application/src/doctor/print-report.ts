import { printDiagnosis } from '@kube-rules/analyzer/explain'
import type { AssumedValue } from '@kube-rules/types/manifests'
import type { DoctorDocument } from '../documents.js'
import { formatCount, formatMessageLine, printJsonDocument } from '../messages/lines.js'
import type { Cause, DoctorReport, UnreadNode } from './causes.js'
import { formatNames } from './format-names.js'
import type { NodeDiagnostic } from './node-diagnostics.js'

/** Facts that JSON documents contain in addition to the report. */
export interface DoctorContext {
  readonly diagnostics: readonly NodeDiagnostic[]
  readonly assumed: readonly AssumedValue[]
  readonly unread: readonly UnreadNode[]
  readonly notRead: readonly string[]
}

/** Prints a report as one JSON document; `docs/reference/cli/doctor.md` describes its fields. */
export function printDoctorJson(report: DoctorReport, context: DoctorContext): string {
  return printJsonDocument<DoctorDocument>('doctor', { ...report, ...context })
}

/**
 * Prints a report: a table of causes, worst first, then one diagnosis for each cause, a line with the invalid Services, and
 * a line with the numbers.
 */
export function printDoctorReport(report: DoctorReport, invalidServices: readonly string[] = []): string {
  const line = formatMessageLine(`invalid, so not checked: ${formatNames(invalidServices)}`)
  return printChecked(report, invalidServices.length === 0 ? '' : `${line}\n`)
}

function printChecked(report: DoctorReport, unchecked: string): string {
  const { nodes, checked, causes } = report
  if (checked.packets === 0) return `${unchecked}nothing was checked\n`
  const counts = `${formatCount(nodes.length, 'node')}, ${formatCount(checked.servicePorts, 'service port')}, ${formatCount(checked.packets, 'packet')}`
  const lost = causes.filter(({ kind }) => kind !== 'specified').reduce((sum, { packets }) => sum + packets, 0)
  const summary = `${unchecked}${counts}: ${lost === 0 ? 'all arrive as the objects specify' : `${formatCount(lost, 'packet')} may not arrive`}\n`
  if (causes.length === 0) return summary
  const details = causes.map((cause) => `${printCause(cause, report)}\n`)
  return `${printTable(causes, report)}\n${details.join('')}${summary}`
}

const HEADINGS = ['nodes', 'service ports', 'packets', 'from', 'cause']

function printTable(causes: readonly Cause[], { nodes }: DoctorReport): string {
  const rows = causes.map((cause) => [
    `${cause.nodes.length}/${nodes.length}`,
    String(cause.servicePorts.length),
    String(cause.packets),
    cause.origins.join(', '),
    `${cause.code}${NOTES[cause.kind]}`,
  ])
  const all = [HEADINGS, ...rows]
  const widths = HEADINGS.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map(
      (row) =>
        `${row
          .map((text, column) => text.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

const NOTES: Readonly<Record<Cause['kind'], string>> = {
  lost: '',
  unknown: ' (unknown)',
  specified: ' (as the Service specifies)',
}

function printCause(cause: Cause, { nodes }: DoctorReport): string {
  const isShort = cause.diagnosis === undefined || cause.kind === 'specified'
  const own = isShort ? `${cause.code}: ${cause.cause}\n` : printDiagnosis(cause.diagnosis)
  const on = cause.nodes.length === nodes.length && nodes.length > 1 ? 'all' : formatNames(cause.nodes)
  return `${own}nodes: ${on}\nservice ports: ${formatNames(cause.servicePorts)}\n`
}
