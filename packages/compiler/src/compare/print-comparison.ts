import { escapeControls } from '@kube-rules/types'
import type { Comparison, Difference, SideOfDifference } from './compare.js'

/** How the two sides are called: `old` and `new`, `iptables` and `nftables`. */
export type SideNames = readonly [a: string, b: string]

/** A comparison as text of whole lines: what differs, then what cannot be told, then how much was looked at. */
export function printComparison(comparison: Comparison, names: SideNames): string {
  const { differences, undecided } = comparison
  const lines = [
    ...differences.flatMap((difference) => differenceLines('differs', difference, names)),
    ...undecided.flatMap((difference) => differenceLines('cannot tell', difference, names)),
    summaryOf(comparison),
    ...declaredLines(comparison, names),
  ]
  return `${lines.map(escapeControls).join('\n')}\n`
}

/** The same for a comment on a pull request. */
export function printComparisonMarkdown(comparison: Comparison, names: SideNames): string {
  const { differences, undecided } = comparison
  const rows = [
    ...differences.map((difference) => row('differs', difference)),
    ...undecided.map((difference) => row('cannot tell', difference)),
  ]
  const head = [`| | packets | services | ${names.map(cell).join(' | ')} |`, '|---|---|---|---|---|']
  const declared = declaredLines(comparison, names).map(cell)
  const lines = [
    summaryOf(comparison),
    ...(rows.length === 0 ? [] : ['', ...head, ...rows]),
    ...(declared.length === 0 ? [] : ['', ...declared]),
  ]
  return `${lines.join('\n')}\n`
}

/** `3 differences in 120 classes of packets`. */
function summaryOf({ equal, classes, differences, undecided, declared }: Comparison): string {
  const inAll = `${classes} classes of packets`
  if (equal) return `no difference in ${inAll}`
  if (declared && differences.length + undecided.length === 0) return `no unexpected difference in ${inAll}`
  const unknown = undecided.length === 0 ? '' : `, ${undecided.length} that cannot be told`
  return `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}${unknown} in ${inAll}`
}

/** `18 classes differ as declared: ipvs otherPortsRefused (18)`. */
function declaredLines({ declared }: Comparison, [a, b]: SideNames): readonly string[] {
  if (declared === undefined || declared.classes === 0) return []
  const names = { a, b, both: 'plans' }
  const each = declared.limitations.map(({ side, code, classes }) => `${names[side]} ${code} (${classes})`)
  return [
    `${declared.classes} ${declared.classes === 1 ? 'class differs' : 'classes differ'} as declared: ${each.join(', ')}`,
  ]
}

function differenceLines(
  kind: string,
  { condition, services, classes, a, b }: Difference,
  names: SideNames,
): readonly string[] {
  const whose = services.length === 0 ? '' : ` (${services.join(', ')})`
  const sides = [a, b].map((side, index) => `  ${names[index]}: ${sideText(side)}`)
  return [`${kind}: ${condition}${whose}${classes > 1 ? `, ${classes} classes` : ''}`, ...sides, '']
}

/** So many outcomes are told; the rest are counted. */
const MOST = 4

function sideText(side: SideOfDifference): string {
  const outcomes = Object.entries(side.outcomes).map(([text, weight]) => (weight === '1' ? text : `${weight} ${text}`))
  const told = outcomes.slice(0, MOST).join('; ')
  const rest = outcomes.length > MOST ? `; ${outcomes.length - MOST} more` : ''
  const remembers = side.remembersSeconds === undefined ? '' : `; clients are remembered for ${side.remembersSeconds} s`
  return `${told}${rest}${remembers}`
}

function row(kind: string, { condition, services, a, b }: Difference): string {
  return `| ${[kind, condition, services.join(', '), sideText(a), sideText(b)].map(cell).join(' | ')} |`
}

/** Nothing that a name holds may end the cell, begin a line or mean something in Markdown or HTML. */
function cell(text: string): string {
  return escapeControls(text).replace(/[\\`*_{}[\]<>#|!~@&]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
