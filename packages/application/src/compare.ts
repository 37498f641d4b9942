import { type Comparison, compare } from '@kube-rules/analyzer'
import {
  type ModePlan,
  type ModePlans,
  printComparison,
  printComparisonMarkdown,
  type SideNames,
  type VersionCause,
} from '@kube-rules/analyzer/compare'
import type { FamilyResult, NodeState } from '@kube-rules/compiler'
import type { Diagnostic, IpFamily, Packet } from '@kube-rules/types'
import { jsonDocument } from './messages/lines.js'

/** One side of a comparison in one family. */
export interface ComparedState {
  readonly state: NodeState
  readonly addresses: readonly string[]
  /** The mode and plan, if the known limitations of the mode are to be left out. */
  readonly planned?: ModePlan | undefined
}

/** The comparison of two rulesets for packets of one family. */
export interface ComparedFamily {
  readonly family: IpFamily
  readonly comparison: Comparison
}

export function comparedFamily({ state, plan }: FamilyResult): ComparedState {
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
export function withCauses(
  families: readonly ComparedFamily[],
  causesOf: (packet: Packet) => readonly VersionCause[],
): readonly ComparedFamily[] {
  return families.map(({ family, comparison }) => {
    const differences = comparison.differences.map((each) => ({ ...each, causes: causesOf(each.packet) }))
    return { family, comparison: { ...comparison, differences } }
  })
}

/** Returns 0 if no family has unexpected differences, 1 if one has some, 2 if one has only undetermined classes. */
export function exitCodeOf(families: readonly ComparedFamily[]): number {
  if (families.some(({ comparison }) => comparison.differences.length > 0)) return 1
  return families.every(({ comparison }) => comparison.inconclusive.length === 0) ? 0 : 2
}

export function printTrafficReport(
  families: readonly ComparedFamily[],
  names: SideNames,
  diagnostics: readonly Diagnostic[],
  output: 'text' | 'json' | 'markdown' | undefined,
): string {
  if (output === 'json') {
    const compared = families.map(({ family, comparison }) => ({ family, ...comparison }))
    return jsonDocument({ sides: names, families: compared, diagnostics })
  }
  const isMarkdown = output === 'markdown'
  const print = isMarkdown ? printComparisonMarkdown : printComparison
  const texts = families.map(({ family, comparison }) => {
    const heading = families.length === 1 ? '' : isMarkdown ? `### ${family}\n\n` : `${family}\n`
    return `${heading}${print(comparison, names)}`
  })
  return texts.join('\n')
}
