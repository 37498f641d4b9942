import { DiagnosticsError, type Node } from '@kube-rules/types'
import {
  type ClusterSession,
  forkCluster,
  newCluster,
  nodesByName,
  stepCluster,
} from './compilation/cluster-session.js'
import {
  type ContextSource,
  contextSource,
  hasError,
  nodesOf,
  originOf,
  resolveSource,
} from './compilation/compile-context.js'
import type { CompileInput, CompileOptions, CompileResult } from './compilation/compile-result.js'
import { heldFork, resultOfFork } from './compilation/held-sessions.js'
import { objectLists } from './compilation/object-lists.js'
import { sameValue } from './diff/resource.js'
import { isSameList } from './internal/is-same-list.js'
import { argumentError } from './reading/argument-error.js'
import { describe } from './reading/findings.js'
import { NO_OBJECTS } from './reading/object-changes.js'

export interface CompileNodesOptions extends Omit<CompileOptions, 'nodeName' | 'previous'> {
  /** The nodes to compile for. Default: every Node given, in that order. */
  readonly nodeNames?: Iterable<string> | undefined
  /** Earlier results by node name, to take from them what has not changed; one is enough for what all nodes share. */
  readonly previous?: ReadonlyMap<string, CompileResult> | undefined
}

/** The rules of one node. */
export interface NodeResult {
  readonly nodeName: string
  readonly result: CompileResult
}

/**
 * The rules of many nodes for the same objects: of each what `compile` gives for its `nodeName`, with everything shared to
 * which the node makes no difference. What all nodes share is computed at once, and the result of a node when it is its turn, so
 * that it need not be held longer than it is looked at. Going through the nodes once more computes their results once more.
 *
 * Throws at once what `compile` throws for the configuration and for arguments that are none; with `strict`, what is wrong
 * with objects when it comes to a node. A name that no Node has is compiled for as `compile` does.
 *
 * With `previous` the results are the same, at the cost of what changed, and where nothing has changed for a node, its result is
 * the one given there. Results of `compileNodes` hold on to what they share, those of `compile` share nothing.
 */
export function compileNodes(input: CompileInput, options: CompileNodesOptions = {}): Iterable<NodeResult> {
  const list = nodesOf(input)
  const source = contextSource(input, options)
  const names = options.nodeNames === undefined ? nameList(list) : checkedNames(options.nodeNames)
  const cluster = clusterOf(input, source, list, names, options.previous)
  return {
    *[Symbol.iterator]() {
      for (const nodeName of names) yield { nodeName, result: resultOfNode(cluster, nodeName, options) }
    },
  }
}

function nameList(nodes: readonly Node[]): readonly string[] {
  return Array.from(nodesByName(nodes).byName.keys()).filter((name) => name !== '')
}

function checkedNames(given: Iterable<string>): readonly string[] {
  const value: unknown = given
  const isList = typeof value === 'object' && value !== null && Symbol.iterator in value
  const names = isList ? Array.from(given) : []
  const wrong = names.findIndex((name) => typeof name !== 'string')
  if (!isList) throw argumentError('nodeNames', `${describe(value)} is no list`, NAMES)
  if (wrong >= 0) throw argumentError('nodeNames', `${describe(names[wrong])} is no name`, NAMES, `[${wrong}]`)
  return names
}

const NAMES = 'an iterable of names of nodes'

/** What the nodes share, from what they shared before where the configuration is an equal one. */
function clusterOf(
  input: CompileInput,
  given: ContextSource,
  list: readonly Node[],
  names: readonly string[],
  previous: CompileNodesOptions['previous'] = new Map(),
): ClusterSession {
  const before = clusterBefore(names, previous)
  const known = before?.from
  const source = known !== undefined && isSameSource(given, known.source) ? known.source : resolveSource(given)
  const nodes = known !== undefined && isSameList(known.nodes.list, list) ? known.nodes : nodesByName(list)
  if (before === undefined || !sameValue(before.from.source, source)) {
    return newCluster({ source, nodes }, objectLists(input, NO_OBJECTS), names[0] ?? '', before)
  }
  return stepCluster(before, nodes, objectLists(input, before.bases[0].lists))
}

/** Whether these are the identical objects and equal options. */
function isSameSource(one: ContextSource, other: ContextSource): boolean {
  return isSameList(originOf(one, [], undefined).given, originOf(other, [], undefined).given)
}

/** Of results that share nothing with each other those of the nodes to compile for go first. */
function clusterBefore(
  names: readonly string[],
  previous: ReadonlyMap<string, CompileResult>,
): ClusterSession | undefined {
  for (const name of [...names, ...previous.keys()]) {
    const result = previous.get(name)
    const held = result && heldFork(result)
    if (held !== undefined) return held.cluster
  }
  return undefined
}

function resultOfNode(
  cluster: ClusterSession,
  nodeName: string,
  { previous, strict }: CompileNodesOptions,
): CompileResult {
  const before = previous?.get(nodeName)
  const earlier = before && heldFork(before)?.fork
  const fork = forkCluster(cluster, nodeName, earlier)
  const result = before !== undefined && fork === earlier ? before : resultOfFork(fork, cluster)
  if (strict && hasError(result.diagnostics)) throw new DiagnosticsError(result.diagnostics)
  return result
}
