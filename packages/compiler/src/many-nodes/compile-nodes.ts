import { DiagnosticsError } from '@kube-rules/types'
import { checkStringIterable } from '../arguments/check-argument.js'
import { checkCompileNodesArguments } from '../compilation/check-compile-arguments.js'
import type { CompileInput, CompileOptions, CompileResult } from '../compilation/compile-result.js'
import {
  type ClusterSettings,
  createClusterSettings,
  findVersion,
  hasError,
  readNodes,
  resolveClusterSettings,
} from '../compilation/context.js'
import { type NodeSnapshot, readObjectLists, snapshotOf, toCompileResult } from '../compilation/snapshot.js'
import { NO_OBJECTS, type ObjectLists } from '../model/reading/object-changes.js'
import { readArgument } from '../model/reading/read-safely.js'
import {
  type ClusterInputs,
  type ClusterNodes,
  createClusterNodes,
  nodesFor,
  reuseOrCreateContext,
} from './cluster-inputs.js'
import { createNodeSnapshotGetter, type NodeSnapshotGetter } from './node-snapshots.js'

/** Options of `compileNodes`. */
export interface CompileNodesOptions extends Omit<CompileOptions, 'nodeName' | 'previous'> {
  /** The names of the nodes to compile for. Default: every Node in the input, in the order of the input. */
  readonly nodeNames?: Iterable<string> | undefined
  /**
   * Earlier results by node name. Unchanged parts are reused. One earlier result is enough to reuse everything that all
   * nodes share.
   */
  readonly previous?: ReadonlyMap<string, CompileResult> | undefined
}

/** The rules of one node. */
export interface NodeResult {
  /** The name of the node. */
  readonly nodeName: string
  /** The result, which is equal to the result of `compile` for this node. */
  readonly result: CompileResult
}

/**
 * Computes the rules of many nodes for the same objects. The result of each node is equal to the result of `compile`
 * for the `nodeName`, and shares everything that does not depend on the node or its version. Results are computed one by one during
 * iteration, so that the caller need not retain all results. Another iteration computes the results again.
 *
 * For an invalid configuration or invalid arguments, throws immediately, like `compile`. With `strict`, an invalid
 * object causes an error when the iteration reaches an affected node. A name without a Node is handled like in
 * `compile`.
 *
 * With `previous`, the results are the same, but only changes are computed. If nothing changed for a node, its result
 * is the object in `previous`.
 *
 * @example
 * ```ts
 * Array.from(compileNodes(input), ({ nodeName }) => nodeName) // => ['node-1', 'node-2']
 * ```
 */
export function compileNodes(input: CompileInput, options: CompileNodesOptions = {}): Iterable<NodeResult> {
  readArgument('input', () => checkCompileNodesArguments(input, options))
  const { previous = new Map<string, CompileResult>(), strict } = options
  const nodes = createClusterNodes(readArgument('input', () => readNodes(input)))
  const names = namesOfNodes(nodes, options)
  const starts = firstSnapshots([...names, ...previous.keys()], previous)
  const lists = readObjectLists(input, starts.values().next().value?.lists ?? NO_OBJECTS)
  const clusters = readArgument('input', () =>
    clustersByVersion(createClusterSettings(input, options), nodes, lists, names),
  )
  return {
    *[Symbol.iterator]() {
      const getters = new Map<ClusterInputs, NodeSnapshotGetter>()
      const getterOf = (cluster: ClusterInputs) => {
        const known = getters.get(cluster)
        if (known !== undefined) return known
        const getter = createNodeSnapshotGetter(cluster, starts.get(cluster.source.resolved.version))
        getters.set(cluster, getter)
        return getter
      }
      for (const nodeName of names) {
        const before = previous.get(nodeName)
        const earlier = before && snapshotOf(before)
        const snapshot = getterOf(clusters.of(nodeName))(nodeName, earlier)
        const isSame = snapshot.objects === earlier?.objects && snapshot.families === earlier.families
        const result = before !== undefined && isSame ? before : toCompileResult(snapshot)
        if (strict && hasError(result.diagnostics)) throw new DiagnosticsError(result.diagnostics)
        yield { nodeName, result }
      }
    },
  }
}

/** Returns the names of the nodes to compile for. */
function namesOfNodes(nodes: ClusterNodes, { nodeNames }: CompileNodesOptions): readonly string[] {
  if (nodeNames !== undefined) return checkStringIterable('nodeNames', nodeNames, NAMES)
  return [...nodes.byName.keys()].filter((name) => name !== '')
}

/** Lists the names of the nodes that `compileNodes` compiles for, in its order. */
export function listNodeNames(input: CompileInput, options: CompileNodesOptions): readonly string[] {
  return namesOfNodes(createClusterNodes(readArgument('input', () => readNodes(input))), options)
}

/** The inputs of each node. The nodes of one version share them. */
interface ClustersByVersion {
  of(nodeName: string): ClusterInputs
}

/**
 * Resolves the settings for the version of each node. Throws for invalid settings of any version, and for settings that
 * the first node does not support, so that `compileNodes` throws at once.
 */
function clustersByVersion(
  settings: ClusterSettings,
  nodes: ClusterNodes,
  lists: ObjectLists,
  names: readonly string[],
): ClustersByVersion {
  const clusters = new Map<string | undefined, ClusterInputs>()
  const clusterOf = (nodeName: string): ClusterInputs => {
    const version = findVersion(settings, nodesFor(nodes, nodeName), nodeName)
    const known = clusters.get(version)
    if (known !== undefined) return known
    const cluster = { ...nodes, lists, source: resolveClusterSettings(settings, version) }
    clusters.set(version, cluster)
    return cluster
  }
  const [first = '', ...others] = names
  reuseOrCreateContext(clusterOf(first), first)
  for (const nodeName of others) clusterOf(nodeName)
  return { of: clusterOf }
}

/** Returns the first snapshot of each version among the earlier results, in the order of the node names. */
function firstSnapshots(
  names: readonly string[],
  previous: ReadonlyMap<string, CompileResult>,
): ReadonlyMap<string, NodeSnapshot> {
  const snapshots = new Map<string, NodeSnapshot>()
  for (const name of names) {
    const result = previous.get(name)
    if (result === undefined || snapshots.has(result.kubernetesVersion)) continue
    const snapshot = snapshotOf(result)
    if (snapshot !== undefined) snapshots.set(result.kubernetesVersion, snapshot)
  }
  return snapshots
}

const NAMES = 'an iterable of names of nodes'
