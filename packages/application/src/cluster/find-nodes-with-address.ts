import type { Node } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'

/** The name of a Node, and one of its addresses. */
export interface NodeAtAddress {
  readonly name: string
  readonly address: string
}

/** Returns the Nodes that have one of the addresses, in the order of the Nodes, each with the first such address. */
export function findNodesWithAddress(nodes: readonly Node[], addresses: readonly string[]): readonly NodeAtAddress[] {
  const expected = new Set(addresses.flatMap((address) => parseIp(address)?.text ?? []))
  return nodes.flatMap(({ metadata, status }) => {
    const found = status?.addresses?.find(({ address }) => expected.has(parseIp(address)?.text ?? ''))
    return !metadata?.name || found === undefined ? [] : { name: metadata.name, address: found.address }
  })
}
