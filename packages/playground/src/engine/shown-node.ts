import { type Cluster, findNodesWithAddress, type NodeAtAddress } from '@kube-rules/application/cluster'
import { parseDestination } from '@kube-rules/application/explain'
import { UsageError } from '@kube-rules/application/messages'
import { parsePacketText } from '../question/packet-text.js'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { completePacketText } from './complete-packet-text.js'

/** The node that the rules are for. */
export interface ShownNode {
  /** The name; empty if none is known. */
  readonly name: string
  /** The reason for the choice of the page, as a clause. Empty if there was nothing to choose, or the user chose. */
  readonly reason: string
  /** Another Node, which has the address that the packet goes to. Empty if there is none. */
  readonly other: string
}

/** What the node is chosen by. */
export interface NodeChoice extends Pick<PlaygroundRequest, 'node' | 'packet'> {
  /** The addresses of the node that the dump shows. */
  readonly addresses: readonly string[]
}

/**
 * Chooses the node: the one that the user chose, or else `hostnameOverride`, or else the only Node with one of the
 * addresses, or else the Node that the packet goes to, or else the first by name.
 */
export function chooseShownNode(cluster: Cluster, { node, packet, addresses }: NodeChoice): ShownNode {
  const given = node || cluster.configuration?.hostnameOverride?.trim().toLowerCase()
  const names = listNodeNames(cluster)
  const target = findNodeOfPacket(cluster, packet)
  const otherThan = (name: string) => (target !== undefined && target.name !== name ? target.name : '')
  if (given) return { name: given, reason: '', other: otherThan(given) }
  const [only = '', ...others] = names
  if (others.length === 0) return { name: cluster.nodes.length === 0 ? '' : only, reason: '', other: '' }
  const [dumped, ...alike] = findNodesWithAddress(cluster.nodes, addresses)
  if (dumped !== undefined && alike.length === 0)
    return { name: dumped.name, reason: `the dump has its address ${dumped.address}`, other: otherThan(dumped.name) }
  if (target !== undefined)
    return { name: target.name, reason: `the packet goes to its address ${target.address}`, other: '' }
  const kind = cluster.nodes.length === 0 ? 'nodes with endpoints' : 'Nodes'
  return { name: only, reason: `the first of ${names.length} ${kind}`, other: '' }
}

/** Returns the sorted names of the Nodes or, without Nodes, the node names in EndpointSlices. */
export function listNodeNames({ nodes, endpointSlices }: Cluster): readonly string[] {
  if (nodes.length > 0) return nodes.flatMap(({ metadata }) => metadata?.name ?? []).sort()
  const names = endpointSlices.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ nodeName }) => nodeName ?? []))
  return [...new Set(names)].sort()
}

function findNodeOfPacket(cluster: Cluster, packet: string): NodeAtAddress | undefined {
  const destination = addressOfPacket(cluster, packet)
  return destination === undefined ? undefined : findNodesWithAddress(cluster.nodes, [destination])[0]
}

function addressOfPacket(cluster: Cluster, packet: string): string | undefined {
  const read = parsePacketText(completePacketText(packet, cluster))
  if (!read.ok) return undefined
  try {
    const destination = parseDestination(read.value.to, undefined)
    return 'address' in destination ? destination.address : undefined
  } catch (error) {
    if (error instanceof UsageError) return undefined
    throw error
  }
}
