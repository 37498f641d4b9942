import type { View } from '@kube-rules/analyzer/view'
import { clusterDiagnostics } from '@kube-rules/application/cluster'
import {
  comparedFamily,
  comparedView,
  compareFamilies,
  printTrafficReport,
  unservedServices,
} from '@kube-rules/application/compare'
import type { Compiled } from './playground-cache.js'

/** The difference between two results for packets, as the command prints it. */
export interface Compared {
  readonly view: View
  readonly text: string
}

/** Compares two results. `versions` are the clusters to report unserved Services of. */
export function compareResults(
  a: Compiled,
  b: Compiled,
  names: readonly [string, string],
  versions: readonly Compiled[],
): Compared {
  const compared = compareFamilies(a.result.families.map(comparedFamily), b.result.families.map(comparedFamily))
  const unserved = unservedServices(
    versions.map(({ cluster, result }) => ({
      cluster,
      result,
      diagnostics: clusterDiagnostics(cluster, result.diagnostics),
    })),
  )
  return {
    view: comparedView(compared, names, unserved),
    text: printTrafficReport(compared, names, { unserved }, 'text'),
  }
}
