import type { View } from '@kube-rules/analyzer/view'
import { mergeClusterDiagnostics } from '@kube-rules/application/cluster'
import {
  comparedView,
  compareFamilies,
  findUnservedServices,
  printTrafficReport,
  toComparedState,
} from '@kube-rules/application/compare'
import type { CompiledRequest } from './playground-cache.js'

/** The difference between two results for packets, as the command prints it. */
export interface ComparisonOutput {
  readonly view: View
  readonly text: string
}

/** Compares two results. `versions` are the clusters to report unserved Services of. */
export function compareResults(
  a: CompiledRequest,
  b: CompiledRequest,
  names: readonly [string, string],
  versions: readonly CompiledRequest[],
): ComparisonOutput {
  const compared = compareFamilies(a.result.families.map(toComparedState), b.result.families.map(toComparedState))
  const unserved = findUnservedServices(
    versions.map(({ cluster, result }) => ({
      cluster,
      result,
      diagnostics: mergeClusterDiagnostics(cluster, result.diagnostics),
    })),
  )
  return {
    view: comparedView(compared, names, unserved),
    text: printTrafficReport(compared, names, { unserved }, 'text'),
  }
}
