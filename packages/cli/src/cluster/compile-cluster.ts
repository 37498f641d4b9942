import { type CompileResult, compile } from '@kube-rules/compiler'
import { DiagnosticsError, type IpFamily } from '@kube-rules/types'
import { InputError } from '../errors.js'
import type { clusterOptions } from '../options/cluster-options.js'
import type { OptionValues } from '../options/option.js'
import { clusterDiagnostics } from './cluster-diagnostics.js'
import type { Cluster } from './load-cluster.js'

/**
 * The rules for a cluster, taking from `previous` what has not changed.
 *
 * @throws InputError where the configuration is one kube-proxy would refuse.
 */
export function compileCluster(
  cluster: Cluster,
  values: OptionValues<typeof clusterOptions>,
  families: readonly IpFamily[],
  previous?: CompileResult,
): CompileResult {
  const { mode, node: nodeName, 'kubernetes-version': kubernetesVersion } = values
  try {
    return compile(cluster, {
      mode,
      nodeName,
      kubernetesVersion: kubernetesVersion ?? cluster.nodeVersion,
      families,
      previous,
    })
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error
    const message = 'nothing is printed, because the configuration is invalid'
    throw new InputError(message, clusterDiagnostics(cluster, error.diagnostics))
  }
}
