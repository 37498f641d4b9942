import { DiagnosticsError, type Node } from '@kube-rules/types'
import { textItems } from '../arguments/check-argument.js'
import { checkCompileNodesArguments } from '../compilation/check-compile-arguments.js'
import type { CompileInput, CompileOptions, CompileResult } from '../compilation/compile-result.js'
import { contextSource, hasError, nodesOf, resolveSource } from '../compilation/context.js'
import { objectLists, resultOf, type Snapshot, snapshotOf } from '../compilation/snapshot.js'
import { NO_OBJECTS } from '../model/reading/object-changes.js'
import { type Cluster, contextOfNode, nodesByName } from './cluster.js'
import { createNodeSnapshots } from './node-snapshots.js'

/** Options of `compileNodes`. */
export interface CompileNodesOptions extends Omit<CompileOptions, 'nodeName' | 'previous'> {
  /** The nodes to compile for. Default: every Node in the input, in that order. */
  readonly nodeNames?: Iterable<string> | undefined
  /**
   * Earlier results by node name; unchanged parts are reused. One result is enough to reuse everything that all nodes
   * share.
   */
  readonly previous?: ReadonlyMap<string, CompileResult> | undefined
}

/** The rules of one node. */
export interface NodeResult {
  /** The name of the node. */
  readonly nodeName: string
  /** Equal to the result of `compile` for this node. */
  readonly result: CompileResult
}

/**
 * Computes the rules of many nodes for the same objects: of each what `compile` gives for its `nodeName`, with everything
 * shared to which the node makes no difference. The result of a node is computed when it is its turn, so that it need not be
 * held longer than it is looked at. Going through the nodes once more computes their results once more.
 *
 * Throws at once what `compile` throws for the configuration and for arguments that are none; with `strict`, what is wrong
 * with objects when it comes to a node. A name that no Node has is compiled for as `compile` does.
 *
 * With `previous` the results are the same, at the cost of what changed, and where nothing has changed for a node, its result is
 * the one given there.
 *
 * @example
 * ```ts
 * Array.from(compileNodes(input), ({ nodeName }) => nodeName) // => ['node-1', 'node-2']
 * ```
 */
export function compileNodes(input: CompileInput, options: CompileNodesOptions = {}): Iterable<NodeResult> {
  checkCompileNodesArguments(input, options)
  const { previous = new Map<string, CompileResult>(), strict } = options
  const nodes = nodesOf(input)
  const source = resolveSource(contextSource(input, options))
  const names = options.nodeNames === undefined ? nameList(nodes) : textItems('nodeNames', options.nodeNames, NAMES)
  const start = firstSnapshot([...names, ...previous.keys()], previous)
  const cluster: Cluster = {
    source,
    nodes,
    byName: nodesByName(nodes),
    lists: objectLists(input, start?.lists ?? NO_OBJECTS),
  }
  // Throws for settings that the mode refuses.
  contextOfNode(cluster, names[0] ?? '')
  return {
    *[Symbol.iterator]() {
      const snapshotOfNode = createNodeSnapshots(cluster, start)
      for (const nodeName of names) {
        const before = previous.get(nodeName)
        const held = before && snapshotOf(before)
        const snapshot = snapshotOfNode(nodeName, held)
        const isSame = snapshot.objects === held?.objects && snapshot.families === held.families
        const result = before !== undefined && isSame ? before : resultOf(snapshot)
        if (strict && hasError(result.diagnostics)) throw new DiagnosticsError(result.diagnostics)
        yield { nodeName, result }
      }
    },
  }
}

/** Of the results of these names, in this order, the snapshot of the first that has one. */
function firstSnapshot(names: readonly string[], previous: ReadonlyMap<string, CompileResult>): Snapshot | undefined {
  for (const name of names) {
    const result = previous.get(name)
    const snapshot = result && snapshotOf(result)
    if (snapshot !== undefined) return snapshot
  }
  return undefined
}

function nameList(nodes: readonly Node[]): readonly string[] {
  return Array.from(nodesByName(nodes).keys()).filter((name) => name !== '')
}

const NAMES = 'an iterable of names of nodes'
