import { hostTold } from '@kube-rules/analyzer/verify'
import { type CompileOptions, type CompileResult, compile, type Dump } from '@kube-rules/compiler'
import type { CompiledMode } from '@kube-rules/compiler/tables'
import { DiagnosticsError, type IpFamily } from '@kube-rules/types'
import { InputError } from '../messages/errors.js'
import { clusterDiagnostics } from './cluster-diagnostics.js'
import type { Cluster } from './read-cluster.js'

/** What the options of a command say of what is compiled. */
export interface CompileValues {
  readonly mode?: CompiledMode | undefined
  /** The name of the node. */
  readonly node?: string | undefined
  readonly 'kubernetes-version'?: string | undefined
}

/**
 * The rules for a cluster, taking from `previous` what has not changed.
 *
 * What `dump`, of the node, tells of its host counts where nothing else is said.
 *
 * @throws InputError where the configuration is one kube-proxy would refuse, and where the node is none of the Nodes.
 */
export function compileCluster(
  cluster: Cluster,
  values: CompileValues,
  families: readonly IpFamily[],
  { previous, dump }: { readonly previous?: CompileResult | undefined; readonly dump?: Dump | undefined } = {},
): CompileResult {
  const told = dump === undefined ? {} : hostTold(dump, values.mode ?? cluster.configuration?.mode ?? '')
  const input = { ...cluster, host: Object.keys(told).length === 0 ? cluster.host : { ...told, ...cluster.host } }
  try {
    return requireNode(compile(input, { ...compileOptions(cluster, values, families), previous }), cluster)
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error
    const message = 'nothing is printed, because the configuration is invalid'
    throw new InputError(message, clusterDiagnostics(cluster, error.diagnostics))
  }
}

/** What `compileCluster` asks the compiler for. */
export function compileOptions(
  { nodeVersion }: Cluster,
  { mode, node: nodeName, 'kubernetes-version': kubernetesVersion }: CompileValues,
  families: readonly IpFamily[],
): CompileOptions {
  return { mode, nodeName, kubernetesVersion: kubernetesVersion ?? nodeVersion, families }
}

/** The rules of a node that is not there fit no node: endpoints that are local and pod networks would be missing. */
function requireNode(result: CompileResult, cluster: Cluster): CompileResult {
  const unknown = result.diagnostics.filter(({ code, severity }) => code === 'unknownNode' && severity === 'error')
  if (unknown.length === 0) return result
  throw new InputError('nothing is printed, because the node is not known', clusterDiagnostics(cluster, unknown))
}
