import { DiagnosticsError, type Node } from '@kube-rules/types'
import { isOfOtherGroup } from '@kube-rules/types/internal/api-groups'
import { checkStringIterable } from '../arguments/check-argument.js'
import { checkCompileNodesArguments } from '../compilation/check-compile-arguments.js'
import type { CompileInput, CompileOptions, CompileResult } from '../compilation/compile-result.js'
import { createClusterSettings, hasError, readNodes, resolveClusterSettings } from '../compilation/context.js'
import { type NodeSnapshot, readObjectLists, snapshotOf, toCompileResult } from '../compilation/snapshot.js'
import { NO_OBJECTS } from '../model/reading/object-changes.js'
import { readArgument } from '../model/reading/read-safely.js'
import { type ClusterInputs, indexNodesByName, reuseOrCreateContext } from './cluster-inputs.js'
import { createNodeSnapshotGetter } from './node-snapshots.js'

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
 * for the `nodeName`, and shares everything that does not depend on the node. Results are computed one by one during
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
  const nodes = readArgument('input', () => readNodes(input))
  const source = readArgument('input', () => resolveClusterSettings(createClusterSettings(input, options)))
  const names =
    options.nodeNames === undefined ? nameList(nodes) : checkStringIterable('nodeNames', options.nodeNames, NAMES)
  const start = firstSnapshot([...names, ...previous.keys()], previous)
  const cluster: ClusterInputs = {
    source,
    nodes,
    byName: indexNodesByName(nodes),
    otherNodes: nodes.filter((node) => isOfOtherGroup('Node', node)),
    lists: readObjectLists(input, start?.lists ?? NO_OBJECTS),
  }
  // Creates the context of the first node immediately, so that invalid settings throw at once.
  readArgument('input', () => reuseOrCreateContext(cluster, names[0] ?? ''))
  return {
    *[Symbol.iterator]() {
      const snapshotOfNode = createNodeSnapshotGetter(cluster, start)
      for (const nodeName of names) {
        const before = previous.get(nodeName)
        const earlier = before && snapshotOf(before)
        const snapshot = snapshotOfNode(nodeName, earlier)
        const isSame = snapshot.objects === earlier?.objects && snapshot.families === earlier.families
        const result = before !== undefined && isSame ? before : toCompileResult(snapshot)
        if (strict && hasError(result.diagnostics)) throw new DiagnosticsError(result.diagnostics)
        yield { nodeName, result }
      }
    },
  }
}

/** Returns the first snapshot among the earlier results, in the order of the node names. */
function firstSnapshot(
  names: readonly string[],
  previous: ReadonlyMap<string, CompileResult>,
): NodeSnapshot | undefined {
  for (const name of names) {
    const result = previous.get(name)
    const snapshot = result && snapshotOf(result)
    if (snapshot !== undefined) return snapshot
  }
  return undefined
}

function nameList(nodes: readonly Node[]): readonly string[] {
  return Array.from(indexNodesByName(nodes).keys()).filter((name) => name !== '')
}

const NAMES = 'an iterable of names of nodes'
