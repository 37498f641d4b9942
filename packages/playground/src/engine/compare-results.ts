import { type CompileResult, compare, type FamilyResult } from '@kube-rules/compiler'
import { printComparison, type SideNames } from '@kube-rules/compiler/compare'
import { joinViews, type View, viewOfComparison } from '@kube-rules/compiler/view'

/** What two results do with packets, as the command says it. */
export interface Compared {
  readonly view: View
  readonly text: string
}

/** Family by family; a family is named where there are two. */
export function compareResults(a: CompileResult, b: CompileResult, names: SideNames): Compared {
  const compared = a.families.flatMap((one) => {
    const other = b.families.find(({ family }) => family === one.family)
    if (other === undefined) return []
    const addresses = [...new Set([...addressesOf(one), ...addressesOf(other)])]
    return [{ family: one.family, comparison: compare(one.state, other.state, { addresses }) }]
  })
  const heading = (family: string) => (compared.length === 1 ? '' : `${family}\n`)
  return {
    view: joinViews(compared.map(({ comparison }) => viewOfComparison(comparison, names))),
    text: compared.map(({ family, comparison }) => heading(family) + printComparison(comparison, names)).join('\n'),
  }
}

function addressesOf({ plan }: FamilyResult): readonly string[] {
  return plan.node.addresses.map(({ address }) => address)
}
