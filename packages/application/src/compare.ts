import { type Comparison, compare } from '@kube-rules/analyzer'
import {
  escapeMarkdown,
  type ModePlan,
  type ModePlans,
  printComparisonMarkdown,
  type SideNames,
  type VersionCause,
} from '@kube-rules/analyzer/compare'
import { comparisonView, concatViews, printView, type View } from '@kube-rules/analyzer/view'
import type { FamilyResult, NodeState } from '@kube-rules/compiler'
import type { Diagnostic, IpFamily, Packet } from '@kube-rules/types'
import type { AssumedValue } from './assume/assumed-value.js'
import { describeAssumptions } from './assume/describe-assumptions.js'
import { formatUnservedServices, type UnservedService } from './compare/unserved-services.js'
import type { CompareDocument } from './documents.js'
import { printJsonDocument } from './messages/lines.js'

export { type CompiledCluster, findUnservedServices, type UnservedService } from './compare/unserved-services.js'

/** One side of a comparison in one family. */
export interface ComparedState {
  readonly state: NodeState
  readonly addresses: readonly string[]
  /** The mode and plan of this side. Required only to leave out differences due to known limitations of the mode. */
  readonly planned?: ModePlan | undefined
}

/** The comparison of two rulesets for packets of one family. */
export interface ComparedFamily {
  readonly family: IpFamily
  readonly comparison: Comparison
}

export function toComparedState({ state, plan }: FamilyResult): ComparedState {
  return { state, addresses: plan.node.addresses.map(({ address }) => address) }
}

const NOTHING: Readonly<Record<IpFamily, ComparedState>> = {
  IPv4: { state: { family: 'IPv4' }, addresses: [] },
  IPv6: { state: { family: 'IPv6' }, addresses: [] },
}

/** Compares the states family by family. A side without a family counts as an empty state. */
export function compareFamilies(a: readonly ComparedState[], b: readonly ComparedState[]): readonly ComparedFamily[] {
  const families = [...new Set([...a, ...b].map(({ state }) => state.family))]
  return families.map((family) => {
    const of = (states: readonly ComparedState[]) =>
      states.find(({ state }) => state.family === family) ?? NOTHING[family]
    const [before, after] = [of(a), of(b)]
    const addresses = [...new Set([...before.addresses, ...after.addresses])]
    return {
      family,
      comparison: compare(before.state, after.state, { addresses, knownLimitationsOf: plannedModes(before, after) }),
    }
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

/** Facts that are printed with a comparison. */
export interface TrafficReportContext {
  readonly diagnostics?: readonly Diagnostic[] | undefined
  /** The values that were assumed because the objects omit them. */
  readonly assumed?: readonly AssumedValue[] | undefined
  /** The Services that the comparison does not cover. */
  readonly unserved?: readonly UnservedService[] | undefined
}

/**
 * Returns the exit code. 0: every packet is handled the same, except for known limitations that are left out. 1: at
 * least one packet is handled differently. 2: the result is undetermined for some packets, or for Services with missing
 * values.
 */
export function exitCodeOfComparison(
  families: readonly ComparedFamily[],
  unserved: readonly UnservedService[] = [],
): number {
  if (families.some(({ comparison }) => comparison.differences.length > 0)) return 1
  const isDetermined = families.every(
    ({ comparison }) => comparison.inconclusive.length === 0 && comparison.notCompared === undefined,
  )
  return isDetermined && !unserved.some(({ isUnknown }) => isUnknown) ? 0 : 2
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
  { diagnostics = [], assumed = [], unserved = [] }: TrafficReportContext,
  output: 'text' | 'json' | 'markdown' | undefined,
): string {
  if (output === 'json') {
    const compared = families.map(({ family, comparison }) => ({ family, ...comparison }))
    return printJsonDocument<CompareDocument>({
      sides: names,
      families: compared,
      notCompared: unserved,
      assumed,
      diagnostics,
    })
  }
  if (output === 'markdown') return printTrafficMarkdown(families, names, { assumed, unserved })
  return printTrafficText(families, names, unserved)
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

/**
 * Prints all families in one list. Further list items show the Services that are not compared and the values that are
 * assumed.
 */
function printTrafficMarkdown(
  families: readonly ComparedFamily[],
  names: SideNames,
  { assumed = [], unserved = [] }: TrafficReportContext,
): string {
  const comparisons = families.map(({ comparison }) => comparison)
  const phrase = describeAssumptions(assumed)
  const items = [formatUnservedServices(unserved), phrase === '' ? undefined : `assumed: ${phrase}`]
  const lines = items.flatMap((text) => (text === undefined ? [] : [`- ${escapeMarkdown(text)}\n`]))
  const isLimited = unserved.length > 0 && comparisons.every(({ equal }) => equal)
  const text = printComparisonMarkdown(comparisons, names)
  return [isLimited ? text.replace(/^no difference/, 'no difference for other packets') : text, ...lines].join('')
}
