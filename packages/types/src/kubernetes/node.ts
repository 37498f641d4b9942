import type { ObjectMeta, Optional, TypeMeta } from './object-meta.js'

/** The fields of a core/v1 Node that affect rules: zone label, pod CIDRs and addresses. */
export interface Node extends TypeMeta {
  /** Names, labels and annotations. */
  readonly metadata?: Optional<ObjectMeta>
  /** The pod networks. */
  readonly spec?: Optional<NodeSpec>
  /** The addresses and versions. */
  readonly status?: Optional<NodeStatus>
}

/** The specification of a Node. */
export interface NodeSpec {
  /** The network of the pods on the node. */
  readonly podCIDR?: Optional<string>
  /** The networks of the pods on the node, at most one for each family. */
  readonly podCIDRs?: Optional<readonly string[]>
}

/** The status of a Node. */
export interface NodeStatus {
  /** The addresses. */
  readonly addresses?: Optional<readonly NodeAddress[]>
}

/** An address of a Node. */
export interface NodeAddress {
  /** The type, such as `InternalIP`. */
  readonly type: string
  /** The address or name. */
  readonly address: string
}
