import { readParsedNode } from '@kube-rules/compiler/internal/model/node/parsed-node'
import type { Node } from '@kube-rules/types'

/** Returns the names of Nodes by address; the first of two with one address counts, and invalid Nodes are left out. */
export function indexNodeNames(nodes: Iterable<Node>): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const node of nodes) {
    const name: unknown = node?.metadata?.name
    for (const { text } of readParsedNode(node).object.addresses) {
      if (typeof name === 'string' && !names.has(text)) names.set(text, name)
    }
  }
  return names
}
