import type { Node } from '@kube-rules/types'
import { isOfOtherGroup } from '@kube-rules/types/internal/api-groups'
import {
  type ContextWithInputs,
  contextInputsOf,
  createNodeContext,
  haveSameInputs,
  type ResolvedClusterSettings,
} from '../compilation/context.js'
import { referenceOf } from '../model/reading/metadata.js'
import type { ObjectLists } from '../model/reading/object-changes.js'

/** The inputs that the rules of all nodes of one version share. */
export interface ClusterInputs extends ClusterNodes {
  readonly source: ResolvedClusterSettings
  readonly lists: ObjectLists
}

/** The Nodes of a cluster. */
export interface ClusterNodes {
  readonly nodes: readonly Node[]
  readonly byName: ReadonlyMap<string, Node>
  /** The Nodes of another API group, which every node reports. */
  readonly otherNodes: readonly Node[]
}

export function createClusterNodes(nodes: readonly Node[]): ClusterNodes {
  return {
    nodes,
    byName: indexNodesByName(nodes),
    otherNodes: nodes.filter((node) => isOfOtherGroup('Node', node)),
  }
}

/** Returns the Nodes that the rules of a node depend on: its Node or, if it does not exist, all Nodes. */
export function nodesFor({ nodes, byName, otherNodes }: ClusterNodes, nodeName: string): readonly Node[] {
  const node = nodeName === '' ? undefined : byName.get(nodeName)
  return node === undefined ? nodes : [node, ...otherNodes]
}

/** Indexes Nodes by name, without those of another API group. If several Nodes have the same name, the first counts. */
function indexNodesByName(nodes: readonly Node[]): ReadonlyMap<string, Node> {
  const byName = new Map<string, Node>()
  for (const node of nodes) {
    if (isOfOtherGroup('Node', node)) continue
    const { name } = referenceOf('Node', node)
    if (!byName.has(name)) byName.set(name, node)
  }
  return byName
}

/**
 * Returns the compile context of a node. If the Node exists, the context depends on no other Node. Returns `previous`
 * if it was created from the identical objects.
 */
export function reuseOrCreateContext(
  cluster: ClusterInputs,
  nodeName: string,
  previous?: ContextWithInputs,
): ContextWithInputs {
  const { source } = cluster
  const candidates = nodesFor(cluster, nodeName)
  const origin = contextInputsOf(source, candidates, nodeName)
  if (previous !== undefined && haveSameInputs(previous.origin, origin)) return previous
  return { context: createNodeContext(source, candidates, nodeName), origin }
}
