import type { Difference } from '@kube-rules/analyzer/compare'
import type { View } from '@kube-rules/analyzer/view'
import { mergeClusterDiagnostics } from '@kube-rules/application/cluster'
import {
  compareFamilies,
  createComparisonView,
  findUnservedServices,
  printTrafficText,
  toComparedStates,
} from '@kube-rules/application/compare'
import type { CompiledRequest } from './playground-cache.js'

/** The packets that two results handle differently, in the output format of `kube-rules compare`. */
export interface ComparisonOutput {
  readonly view: View
  readonly text: string
  /** The differences that the view shows, one for each line of the kind `differs`. */
  readonly differences: readonly Difference[]
}

/** Compares two results. The output lists the Services of `versions` that no packet can reach. */
export function compareResults(
  a: CompiledRequest,
  b: CompiledRequest,
  names: readonly [string, string],
  versions: readonly CompiledRequest[],
): ComparisonOutput {
  const compared = compareFamilies(toComparedStates(a.result), toComparedStates(b.result))
  const unserved = findUnservedServices(
    versions.map(({ cluster, result }) => ({
      cluster,
      result,
      diagnostics: mergeClusterDiagnostics(cluster, result.diagnostics),
    })),
  )
  return {
    view: createComparisonView(compared, names, unserved),
    text: printTrafficText(compared, names, unserved),
    differences: compared.flatMap(({ comparison }) => comparison.differences),
  }
}
