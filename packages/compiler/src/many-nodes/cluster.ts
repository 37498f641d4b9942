import type { Node } from '@kube-rules/types'
import {
  type ContextWithOrigin,
  contextOf,
  isSameOrigin,
  originOf,
  type ResolvedSource,
} from '../compilation/context.js'
import { referenceOf } from '../model/reading/metadata.js'
import type { ObjectLists } from '../model/reading/object-changes.js'

/** The inputs of the rules of all nodes. */
export interface Cluster {
  readonly source: ResolvedSource
  readonly nodes: readonly Node[]
  readonly byName: ReadonlyMap<string, Node>
  readonly lists: ObjectLists
}

/** Indexes Nodes by name; the first of two with one name counts. */
export function nodesByName(nodes: readonly Node[]): ReadonlyMap<string, Node> {
  const byName = new Map<string, Node>()
  for (const node of nodes) {
    const { name } = referenceOf('Node', node)
    if (!byName.has(name)) byName.set(name, node)
  }
  return byName
}

/** Returns the context of a node, which depends on its own Node only. Returns `previous` if it was made from the identical objects. */
export function contextOfNode(
  { source, nodes, byName }: Cluster,
  nodeName: string,
  previous?: ContextWithOrigin,
): ContextWithOrigin {
  const node = nodeName === '' ? undefined : byName.get(nodeName)
  const candidates = node === undefined ? nodes : [node]
  const origin = originOf(source, candidates, nodeName)
  if (previous !== undefined && isSameOrigin(previous.origin, origin)) return previous
  return { context: contextOf(source, candidates, nodeName), origin }
}
