import type { Origin } from '@kube-rules/types'
import { destinationText } from '../dataplane/netfilter/destination-text.js'
import { ORIGINS, type SurveyRow } from './survey.js'

const TITLES: Readonly<Record<Origin, string>> = { pod: 'from a pod', node: 'from the node', outside: 'from outside' }

/** The rows as a table of text, its columns aligned by blanks; origins that no row has are left out. */
export function printSurvey(rows: readonly SurveyRow[]): string {
  const origins = ORIGINS.filter((origin) => rows.some(({ outcomes }) => outcomes[origin] !== undefined))
  const header = ['service port', 'frontend', ...origins.map((origin) => TITLES[origin])]
  const cells = rows.map(({ frontend: { owner, address, port, protocol }, outcomes }) => [
    owner === '' ? '-' : owner,
    destinationText({ address, port, protocol }),
    ...origins.map((origin) => outcomes[origin] ?? '-'),
  ])
  return printTable([header, ...cells])
}

function printTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return lines.map((line) => `${line}\n`).join('')
}
