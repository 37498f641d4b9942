import type { KubeProxyConfiguration, Node } from '@kube-rules/types'
import { findNodesWithAddress } from './find-nodes-with-address.js'

/** The node that rules are computed for. */
export interface ChosenNode {
  /** The name of the node; undefined if the compiler takes the only Node. */
  readonly name: string | undefined
  /** Whether the name is one of several, and neither the user nor the configuration names it. */
  readonly isUnnamed: boolean
  /** Notes about the choice, without a `note: ` prefix. */
  readonly notes: readonly string[]
}

/**
 * Chooses the node: the given name, or `hostnameOverride`, or the only Node with one of the addresses, or the first of
 * several Nodes by name. Without a choice, no endpoint would be local, which is true of no node.
 */
export function chooseNode(
  nodes: readonly Node[],
  given: string | undefined,
  configuration: KubeProxyConfiguration | undefined,
  addresses: readonly string[] = [],
): ChosenNode {
  const name = given ?? (configuration?.hostnameOverride || undefined)
  const names = nodes.flatMap(({ metadata }) => metadata?.name ?? []).sort()
  const [first] = names
  if (name !== undefined || first === undefined || names.length === 1) return { name, isUnnamed: false, notes: [] }
  const [dumped, ...others] = findNodesWithAddress(nodes, addresses)
  if (dumped !== undefined && others.length === 0) {
    const note = `rules of node ${dumped.name}, because the dump has its address ${dumped.address}; --node selects another`
    return { name: dumped.name, isUnnamed: true, notes: [note] }
  }
  const note = `rules of node ${first}, the first of ${names.length} Nodes; --node selects another`
  return { name: first, isUnnamed: true, notes: [note] }
}
