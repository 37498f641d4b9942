import { type Comparison, compare, type FamilyResult, type NodeState } from '@kube-rules/compiler'
import { printComparison, printComparisonMarkdown, type SideNames } from '@kube-rules/compiler/compare'
import type { Diagnostic, IpFamily } from '@kube-rules/types'
import { jsonDocument } from '../../report/json-document.js'

/** One side of a comparison in one family. */
export interface ComparedState {
  readonly state: NodeState
  readonly addresses: readonly string[]
}

/** What two rule sets do with packets of one family. */
export interface ComparedFamily {
  readonly family: IpFamily
  readonly comparison: Comparison
}

export function comparedFamily({ state, plan }: FamilyResult): ComparedState {
  return { state, addresses: plan.node.addresses.map(({ address }) => address) }
}

/** Family by family; a side without one holds nothing of it. */
export function compareFamilies(a: readonly ComparedState[], b: readonly ComparedState[]): readonly ComparedFamily[] {
  const families = [...new Set([...a, ...b].map(({ state }) => state.family))]
  return families.map((family) => {
    const of = (states: readonly ComparedState[]) =>
      states.find(({ state }) => state.family === family) ?? { state: { family }, addresses: [] }
    const [before, after] = [of(a), of(b)]
    const addresses = [...new Set([...before.addresses, ...after.addresses])]
    return { family, comparison: compare(before.state, after.state, { addresses }) }
  })
}

/** 0 where all is the same, 1 where something differs, 2 where that cannot be told. */
export function exitCodeOf(families: readonly ComparedFamily[]): number {
  if (families.some(({ comparison }) => comparison.differences.length > 0)) return 1
  return families.every(({ comparison }) => comparison.equal) ? 0 : 2
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
