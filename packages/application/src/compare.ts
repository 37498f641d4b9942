import { type Comparison, compare } from '@kube-rules/analyzer'
import {
  type Difference,
  formatCodeSpan,
  type ModePlan,
  type ModePlans,
  printComparisonMarkdown,
  type SideNames,
  type VersionCause,
} from '@kube-rules/analyzer/compare'
import { comparisonView, concatViews, printView, type View } from '@kube-rules/analyzer/view'
import type { CompileResult, NodeState } from '@kube-rules/compiler'
import type { Diagnostic, IpFamily, Packet } from '@kube-rules/types'
import type { AssumedValue } from '@kube-rules/types/manifests'
import { describeAssumptions } from './assume/describe-assumptions.js'
import { formatUnservedServices, type UnservedService } from './compare/unserved-services.js'
import type { CompareDocument } from './documents.js'
import { formatMessageLine, printJsonDocument } from './messages/lines.js'

export { findAddedWarnings } from './compare/added-warnings.js'
export { type CompiledCluster, findUnservedServices, type UnservedService } from './compare/unserved-services.js'

/** One side of a comparison in one family. */
export interface ComparedState {
  readonly state: NodeState
  readonly addresses: readonly string[]
  /** The mode and plan of this side. Absent if the rules were not compiled. */
  readonly planned?: ModePlan | undefined
}

/** The comparison of two rulesets for packets of one family. */
export interface ComparedFamily {
  readonly family: IpFamily
  readonly comparison: Comparison
}

/** Returns the states of a result, as one side of a comparison. */
export function toComparedStates({ mode, families }: CompileResult): readonly ComparedState[] {
  return families.map(({ state, plan }) => ({
    state,
    addresses: plan.node.addresses.map(({ address }) => address),
    planned: { mode, plan },
  }))
}

const NOTHING: Readonly<Record<IpFamily, ComparedState>> = {
  IPv4: { state: { family: 'IPv4' }, addresses: [] },
  IPv6: { state: { family: 'IPv6' }, addresses: [] },
}

/**
 * Compares the states family by family. A side without a family counts as an empty state. If `isUnexpectedOnly` is set,
 * differences due to known limitations of the modes are left out.
 */
export function compareFamilies(
  a: readonly ComparedState[],
  b: readonly ComparedState[],
  { isUnexpectedOnly = false }: { readonly isUnexpectedOnly?: boolean | undefined } = {},
): readonly ComparedFamily[] {
  const families = [...new Set([...a, ...b].map(({ state }) => state.family))]
  return families.map((family) => {
    const of = (states: readonly ComparedState[]) =>
      states.find(({ state }) => state.family === family) ?? NOTHING[family]
    const [before, after] = [of(a), of(b)]
    const addresses = [...new Set([...before.addresses, ...after.addresses])]
    const plans = { a: before.planned, b: after.planned }
    const knownLimitationsOf = isUnexpectedOnly ? plannedModes(before, after) : undefined
    return { family, comparison: compare(before.state, after.state, { addresses, plans, knownLimitationsOf }) }
  })
}

function plannedModes({ planned: a }: ComparedState, { planned: b }: ComparedState): ModePlans | undefined {
  return a && b && { a, b }
}

/** Adds the causes of each difference between two versions. */
export function addVersionCauses(
  families: readonly ComparedFamily[],
  causesOf: (packet: Packet) => readonly VersionCause[],
): readonly ComparedFamily[] {
  return families.map(({ family, comparison }) => {
    const differences = comparison.differences.map((each) => ({ ...each, causes: causesOf(each.packet) }))
    return { family, comparison: { ...comparison, differences } }
  })
}

/** Adds the reason to each difference if only the second side rejects or drops the packets. */
export function addRejectionReasons(
  families: readonly ComparedFamily[],
  reasonOf: (packet: Packet) => string | undefined,
): readonly ComparedFamily[] {
  return families.map(({ family, comparison }) => {
    const differences = comparison.differences.map((each) => {
      const reason = isBlocked(each.b) && !isBlocked(each.a) ? reasonOf(each.packet) : undefined
      return reason === undefined ? each : { ...each, reason }
    })
    return { family, comparison: { ...comparison, differences } }
  })
}

/** Reports whether every outcome is that the packet is rejected or dropped. */
function isBlocked({ outcomes }: Difference['b']): boolean {
  return Object.keys(outcomes).every((outcome) => /^(?:rejected|dropped)/.test(outcome))
}

/** Facts that are printed with a comparison. */
export interface TrafficReportContext {
  readonly diagnostics?: readonly Diagnostic[] | undefined
  /** The values that were assumed because the objects omit them. */
  readonly assumed?: readonly AssumedValue[] | undefined
  /** The Services that the comparison does not cover. */
  readonly unserved?: readonly UnservedService[] | undefined
  /** The subdirectories with manifests that were not read. */
  readonly unread?: readonly string[] | undefined
  /** The warnings that the change adds (`findAddedWarnings`). */
  readonly warnings?: readonly string[] | undefined
}

/**
 * Returns the exit code. 0: every packet is handled the same, except for known limitations that are left out. 1: at
 * least one packet is handled differently. 2: the result is undetermined for some packets, for Services with missing
 * values, or for subdirectories that were not read.
 */
export function exitCodeOfComparison(
  families: readonly ComparedFamily[],
  unserved: readonly UnservedService[] = [],
  unread: readonly string[] = [],
): number {
  if (families.some(({ comparison }) => comparison.differences.length > 0)) return 1
  const isDetermined = families.every(
    ({ comparison }) => comparison.inconclusive.length === 0 && comparison.notCompared === undefined,
  )
  return isDetermined && unread.length === 0 && !unserved.some(({ isUnknown }) => isUnknown) ? 0 : 2
}

/**
 * Returns the view of a comparison. If some Services cannot receive packets, "no difference" is explicitly limited to
 * the other Services.
 */
export function createComparisonView(
  families: readonly ComparedFamily[],
  names: SideNames,
  unserved: readonly UnservedService[] = [],
): View {
  return concatViews([
    ...families.map((compared) => {
      const view = familyView(compared, names, unserved.length > 0)
      return families.length === 1 ? view : withFamily(view, compared.family)
    }),
    unservedView(unserved),
  ])
}

/** Adds the family to a summary, because each family has its own summary. */
function withFamily(view: View, family: IpFamily): View {
  return view.map((node) => (node.kind === 'summary' ? { ...node, label: `${family}: ${node.label}` } : node))
}

function familyView({ comparison }: ComparedFamily, names: SideNames, isLimited: boolean): View {
  const view = comparisonView(comparison, names)
  if (!isLimited || !comparison.equal) return view
  const label = `no difference for other packets in ${comparison.classes} classes of packets`
  return view.map((node) => (node.kind === 'summary' ? { ...node, label } : node))
}

function unservedView(unserved: readonly UnservedService[]): View {
  const label = formatUnservedServices(unserved)
  if (label === undefined) return []
  return [
    {
      id: '0',
      kind: 'inconclusive',
      label,
      severity: 'warning',
      isBranch: false,
      objects: [],
      rules: [],
      children: [],
    },
  ]
}

/** Prints a comparison in one of its formats. */
export function printTrafficReport(
  families: readonly ComparedFamily[],
  names: SideNames,
  { diagnostics = [], assumed = [], unserved = [], unread = [], warnings = [] }: TrafficReportContext,
  output: 'text' | 'json' | 'markdown' | undefined,
): string {
  if (output === 'json') {
    const compared = families.map(({ family, comparison }) => ({ family, ...comparison }))
    return printJsonDocument<CompareDocument>('compare', {
      sides: names,
      families: compared,
      notCompared: unserved,
      notRead: unread,
      assumed,
      diagnostics,
    })
  }
  if (output === 'markdown') return printTrafficMarkdown(families, names, { assumed, unserved, unread, warnings })
  const text = limitToReadFiles(printTrafficText(families, names, unserved), unread)
  return `${printWarnings(warnings)}${text}${unread.length === 0 ? '' : `${formatUnread(unread)}; -R reads them\n`}`
}

/** Prints a comparison as text: the text of `createComparisonView`. */
export function printTrafficText(
  families: readonly ComparedFamily[],
  names: SideNames,
  unserved: readonly UnservedService[],
): string {
  const texts = families.map((compared) => {
    const heading = families.length === 1 ? '' : `${compared.family}\n`
    return `${heading}${printView(familyView(compared, names, unserved.length > 0))}`
  })
  return [...texts, ...(unserved.length === 0 ? [] : [printView(unservedView(unserved))])].join('\n')
}

/** Limits the words "no difference" to the files that were read if there are others. */
function limitToReadFiles(text: string, unread: readonly string[]): string {
  return unread.length === 0 ? text : text.replace(/\bno difference/g, 'in the files that were read, no difference')
}

/** The maximum number of directories in a line. */
const MOST_DIRECTORIES = 10

/** Formats the subdirectories that were not read: `not read: overlays/prod and 3 more`. */
export function formatUnread(unread: readonly string[], formatName: (name: string) => string = (name) => name): string {
  const listed = unread.slice(0, MOST_DIRECTORIES).map(formatName)
  const more = unread.length - listed.length
  return `not read: ${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Prints a line that names the subdirectories that were not read. Empty if there are none. */
export function printUnread(unread: readonly string[]): string {
  return unread.length === 0 ? '' : `${formatUnread(unread)}; -R reads them\n`
}

/** Maximum number of added warnings in a text. */
const MOST_WARNINGS = 50

/** Prints the warnings that the change adds, and an empty line. */
function printWarnings(warnings: readonly string[]): string {
  if (warnings.length === 0) return ''
  const listed = warnings.slice(0, MOST_WARNINGS).map((text) => formatMessageLine(`new warning: ${text}`))
  const more = warnings.length - listed.length
  return [...listed, ...(more > 0 ? [`… and ${more} more new warnings`] : []), ''].map((line) => `${line}\n`).join('')
}

/**
 * Prints all families in one list. Further list items show the warnings that the change adds, the Services that are not
 * compared, and the values that are assumed.
 */
function printTrafficMarkdown(
  families: readonly ComparedFamily[],
  names: SideNames,
  { assumed = [], unserved = [], unread = [], warnings = [] }: TrafficReportContext,
): string {
  const comparisons = families.map(({ comparison }) => comparison)
  const phrase = describeAssumptions(assumed)
  const notes = [
    unread.length === 0 ? [] : `**${formatUnread(unread, formatCodeSpan)}**; \`-R\` reads them`,
    formatUnservedServices(unserved, formatCodeSpan) ?? [],
    phrase === '' ? [] : `assumed: ${formatCodeSpan(phrase)}`,
  ].flat()
  const isLimited = unserved.length > 0 && comparisons.every(({ equal }) => equal)
  const text = printComparisonMarkdown(comparisons, names, { warnings, notes })
  const limited = isLimited ? text.replace(/^no difference/, 'no difference for other packets') : text
  return limitToReadFiles(limited, unread)
}
