import type { Protocol } from '@kube-rules/types'

/**
 * The part of a node that a drift item is about. `table` is an iptables table (`nat`), or the family and the name of an
 * nftables table (`ip kube-proxy`); sets of ipset have none.
 */
export type DriftPart =
  | { readonly kind: 'table'; readonly table: string }
  | { readonly kind: 'chain'; readonly table: string; readonly chain: string }
  | RulePart
  | { readonly kind: 'set'; readonly table?: string; readonly set: string }
  | { readonly kind: 'object'; readonly table: string; readonly object: string }
  | ElementPart
  | { readonly kind: 'virtualServer'; readonly protocol: Protocol; readonly virtualServer: string }
  | RealServerPart
  | { readonly kind: 'address'; readonly address: string }

/** A rule of an iptables chain. In nftables, a drift item is about the whole chain. */
export interface RulePart {
  readonly kind: 'rule'
  readonly table: string
  readonly chain: string
  /** The expected rule; absent if none is expected. */
  readonly expected?: DriftingRule
  /** The actual rule; absent if the node has none. */
  readonly found?: DriftingRule
}

/** The packets that an iptables rule matches, and the chain that it sends them to. */
export interface DriftingRule {
  /** The matched address (`10.96.0.1/32`) or network; absent if the rule matches every destination, or all but one. */
  readonly destination?: string
  /** The matched destination port; absent if the rule matches several. */
  readonly destinationPort?: number
  /** The chain that the rule jumps to; absent for another target. */
  readonly jumpsTo?: string
}

/** An entry of an ipset set, or an element of a set or map of nftables. */
export interface ElementPart {
  readonly kind: 'element'
  readonly table?: string
  readonly set: string
  /** The components of its key: `10.96.0.1`, `tcp` and `80` in nftables, `10.96.0.1` and `tcp:80` in ipset. */
  readonly key: readonly string[]
}

/** A real server of ipvs: `10.244.1.1:8080`. */
export interface RealServerPart {
  readonly kind: 'realServer'
  readonly protocol: Protocol
  readonly virtualServer: string
  readonly realServer: string
  /** The expected weight; absent if the server is not expected. */
  readonly expectedWeight?: number
  /** The actual weight; absent if the node does not have the server. */
  readonly foundWeight?: number
}
