import { readNode } from '@kube-rules/compiler/internal/model/node/parsed-node'
import { isObject } from '@kube-rules/compiler/internal/model/reading/read-field'
import type { Node, Service } from '@kube-rules/types'
import type { LoadBalancerHost } from './load-balancer-hosts.js'

/** Names of nodes by address. */
export type NodeNamesByAddress = ReadonlyMap<string, string>

/** Names of Services (`shop/web`) by address. */
export type ServiceNamesByAddress = ReadonlyMap<string, string>

/** Names that identify addresses without rules on this node. */
export interface AddressNames {
  readonly nodes: NodeNamesByAddress
  /** The Services by the addresses that their load balancer serves itself (`ipMode: Proxy`). */
  readonly proxiedBy: ServiceNamesByAddress
  /** The load balancers without an address in the objects. */
  readonly hosts: readonly LoadBalancerHost[]
}

/**
 * Returns the names of Nodes by address. If two Nodes have the same address, the first one counts. Invalid Nodes are
 * left out.
 */
export function indexNodeNames(nodes: Iterable<Node>): NodeNamesByAddress {
  const names = new Map<string, string>()
  for (const node of nodes) {
    const name: unknown = node?.metadata?.name
    for (const { text } of readNode(node).object.addresses) {
      if (typeof name === 'string' && !names.has(text)) names.set(text, name)
    }
  }
  return names
}

/** Returns the Services by the addresses in their status that have `ipMode: Proxy`. Invalid Services are left out. */
export function findProxiedAddresses(services: Iterable<Service>): ServiceNamesByAddress {
  const names = new Map<string, string>()
  for (const service of services) {
    const ingress: unknown = service?.status?.loadBalancer?.ingress
    const name = `${service?.metadata?.namespace}/${service?.metadata?.name}`
    for (const item of Array.isArray(ingress) ? ingress : []) {
      if (isObject(item) && item.ipMode === 'Proxy' && typeof item.ip === 'string') names.set(item.ip, name)
    }
  }
  return names
}
