import type { Node } from '@kube-rules/types'
import {
  areSameInputs,
  type ContextWithInputs,
  contextInputsOf,
  createNodeContext,
  type ResolvedSource,
} from '../compilation/context.js'
import { referenceOf } from '../model/reading/metadata.js'
import type { ObjectLists } from '../model/reading/object-changes.js'

/** The inputs of the rules of all nodes. */
export interface ClusterInputs {
  readonly source: ResolvedSource
  readonly nodes: readonly Node[]
  readonly byName: ReadonlyMap<string, Node>
  readonly lists: ObjectLists
}

/** Indexes Nodes by name; if two have the same name, the first counts. */
export function indexNodesByName(nodes: readonly Node[]): ReadonlyMap<string, Node> {
  const byName = new Map<string, Node>()
  for (const node of nodes) {
    const { name } = referenceOf('Node', node)
    if (!byName.has(name)) byName.set(name, node)
  }
  return byName
}

/** Returns the context of a node, which depends on its own Node only. Returns `previous` if it was made from the identical objects. */
export function reuseOrCreateContext(
  { source, nodes, byName }: ClusterInputs,
  nodeName: string,
  previous?: ContextWithInputs,
): ContextWithInputs {
  const node = nodeName === '' ? undefined : byName.get(nodeName)
  const candidates = node === undefined ? nodes : [node]
  const origin = contextInputsOf(source, candidates, nodeName)
  if (previous !== undefined && areSameInputs(previous.origin, origin)) return previous
  return { context: createNodeContext(source, candidates, nodeName), origin }
}
