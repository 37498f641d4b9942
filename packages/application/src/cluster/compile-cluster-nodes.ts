import { compileNodes, type NodeResult } from '@kube-rules/compiler'
import { IP_FAMILIES } from '@kube-rules/types'
import { type CompileOptionValues, toCompileInput, toConfigurationError } from './compile-cluster.js'
import type { Cluster } from './read-cluster.js'

/**
 * Compiles the rules of several nodes of a cluster, one after the other, like `compileCluster` without dumps.
 *
 * @throws InputError if kube-proxy would reject the configuration.
 */
export function* compileClusterNodes(
  cluster: Cluster,
  { mode, kubernetesVersion }: Omit<CompileOptionValues, 'node'>,
  nodeNames: readonly string[],
): Generator<NodeResult> {
  try {
    yield* compileNodes(toCompileInput(cluster), { mode, kubernetesVersion, nodeNames, families: IP_FAMILIES })
  } catch (error) {
    throw toConfigurationError(error, cluster)
  }
}
