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

/** The inputs that the rules of all nodes share. */
export interface ClusterInputs {
  readonly source: ResolvedClusterSettings
  readonly nodes: readonly Node[]
  readonly byName: ReadonlyMap<string, Node>
  /** The Nodes of another API group, which every node reports. */
  readonly otherNodes: readonly Node[]
  readonly lists: ObjectLists
}

/** Indexes Nodes by name, without those of another API group. If several Nodes have the same name, the first counts. */
export function indexNodesByName(nodes: readonly Node[]): ReadonlyMap<string, Node> {
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
  { source, nodes, byName, otherNodes }: ClusterInputs,
  nodeName: string,
  previous?: ContextWithInputs,
): ContextWithInputs {
  const node = nodeName === '' ? undefined : byName.get(nodeName)
  const candidates = node === undefined ? nodes : [node, ...otherNodes]
  const origin = contextInputsOf(source, candidates, nodeName)
  if (previous !== undefined && haveSameInputs(previous.origin, origin)) return previous
  return { context: createNodeContext(source, candidates, nodeName), origin }
}
