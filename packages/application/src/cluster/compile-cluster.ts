import { inferHost } from '@kube-rules/analyzer/verify'
import type { ProxyMode } from '@kube-rules/compiler'
import { type CompileInput, type CompileOptions, type CompileResult, compile, type Dump } from '@kube-rules/compiler'
import { DiagnosticsError, type HostFacts, type IpFamily } from '@kube-rules/types'
import { InputError } from '../messages/errors.js'
import { mergeClusterDiagnostics } from './cluster-diagnostics.js'
import type { Cluster } from './read-cluster.js'

/** Command-line options that select the compiled node, mode and version. */
export interface CompileOptionValues {
  readonly mode?: ProxyMode | undefined
  /** The name of the node. */
  readonly node?: string | undefined
  readonly kubernetesVersion?: string | undefined
}

/** A previous result to reuse, and dumps of the node. */
export interface CompileClusterOptions {
  readonly previous?: CompileResult | undefined
  readonly dumps?: readonly Dump[] | undefined
}

/**
 * Compiles the rules of a cluster and reuses unchanged results of `previous`.
 *
 * Host facts are inferred from `dumps`, one for each iptables backend of the node. `cluster.host` has precedence over
 * the inferred facts.
 *
 * @throws InputError if kube-proxy would reject the configuration, or if the node is not among the Nodes.
 */
export function compileCluster(
  cluster: Cluster,
  values: CompileOptionValues,
  families: readonly IpFamily[],
  { previous, dumps = [] }: CompileClusterOptions = {},
): CompileResult {
  const mode = values.mode ?? cluster.configuration?.mode ?? ''
  const inferred: HostFacts = Object.assign({}, ...dumps.map((dump) => inferHost(dump, mode)))
  const host = Object.keys(inferred).length === 0 ? cluster.host : { ...inferred, ...cluster.host }
  const input = { ...toCompileInput(cluster), host }
  try {
    return requireNode(compile(input, { ...toCompileOptions(cluster, values, families), previous }), cluster)
  } catch (error) {
    throw toConfigurationError(error, cluster)
  }
}

/** Turns the error of an invalid configuration into an InputError with the locations of the objects. */
export function toConfigurationError(error: unknown, cluster: Cluster): unknown {
  if (!(error instanceof DiagnosticsError)) return error
  const message = 'nothing is printed, because the configuration is invalid'
  return new InputError(message, mergeClusterDiagnostics(cluster, error.diagnostics))
}

/** Returns the objects of a cluster, and what is known about the node, as `compile` takes them. */
export function toCompileInput(cluster: Cluster): CompileInput {
  const { services, endpointSlices, endpoints, nodes, serviceCIDRs, configuration, host } = cluster
  return { services, endpointSlices, endpoints, nodes, serviceCIDRs, configuration, host }
}

/** Returns the compiler options that `compileCluster` uses. */
export function toCompileOptions(
  { nodeVersion, chosenNode }: Cluster,
  { mode, node, kubernetesVersion }: CompileOptionValues,
  families: readonly IpFamily[],
): CompileOptions {
  return { mode, nodeName: node ?? chosenNode, kubernetesVersion: kubernetesVersion ?? nodeVersion, families }
}

/**
 * Throws if the node is not among the Nodes. Rules for an unknown node would be wrong for every node, because they
 * would have no local endpoints and no pod networks.
 */
function requireNode(result: CompileResult, cluster: Cluster): CompileResult {
  const unknownNodeErrors = result.diagnostics.filter(
    ({ code, severity }) => code === 'unknownNode' && severity === 'error',
  )
  if (unknownNodeErrors.length === 0) return result
  throw new InputError(
    'nothing is printed, because the node is unknown',
    mergeClusterDiagnostics(cluster, unknownNodeErrors),
  )
}
