import { comparisonView, concatViews, type View } from '@kube-rules/analyzer/view'
import { comparedFamily, compareFamilies, printTrafficReport } from '@kube-rules/application/compare'
import type { CompileResult } from '@kube-rules/compiler'

/** The difference between two results for packets, as the command prints it. */
export interface Compared {
  readonly view: View
  readonly text: string
}

export function compareResults(a: CompileResult, b: CompileResult, names: readonly [string, string]): Compared {
  const compared = compareFamilies(a.families.map(comparedFamily), b.families.map(comparedFamily))
  return {
    view: concatViews(compared.map(({ comparison }) => comparisonView(comparison, names))),
    text: printTrafficReport(compared, names, [], 'text'),
  }
}
