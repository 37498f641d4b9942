import type { Node } from '../kubernetes/node.js'
import type { AssumedValue } from './assumed-value.js'
import { ASSUMED_NODE_IPS } from './pools.js'

const USUAL_NAME = 'node-1'
const OTHER_NAME = 'node-2'

/** The Nodes of a cluster, and the names of the nodes on which pods run. */
export interface AssumedNodes {
  readonly nodes: readonly Node[]
  /** The names of the nodes that pods run on, at least two. */
  readonly nodeNames: readonly string[]
  readonly assumed: readonly AssumedValue[]
}

/**
 * Adds the node that rules are computed for if the input has no Node. If the input has this Node, but without
 * addresses, adds addresses to the Node. Pods run on the Nodes of the input. If there is only one Node, pods also run
 * on an assumed second node.
 */
export function assumeNode(nodes: readonly Node[], chosen: string | undefined, hasHost: boolean): AssumedNodes {
  const names = nodes.flatMap(({ metadata }) => metadata?.name || []).sort((a, b) => (a < b ? -1 : 1))
  const name = chosen ?? (names.length === 0 ? USUAL_NAME : names.length === 1 ? names[0] : undefined)
  const existing = nodes.find(({ metadata }) => metadata?.name === name)
  const all = names.length === 0 && name !== undefined ? [name] : names
  const nodeNames = all.length > 1 ? all : [...all, all[0] === OTHER_NAME ? USUAL_NAME : OTHER_NAME]
  const isUnknown = name === undefined || (nodes.length > 0 && existing === undefined)
  if (isUnknown || hasHost || (existing?.status?.addresses ?? []).length > 0) return { nodes, nodeNames, assumed: [] }
  const addresses = Object.values(ASSUMED_NODE_IPS).map((address) => ({ type: 'InternalIP', address }))
  const node = { ...existing, metadata: { ...existing?.metadata, name }, status: { ...existing?.status, addresses } }
  const object = { kind: 'Node', name }
  return {
    nodes: existing === undefined ? [node] : nodes.map((each) => (each === existing ? node : each)),
    nodeNames,
    assumed: addresses.map(({ address: value }) => ({ object, kind: 'node', path: 'status.addresses', value })),
  }
}
