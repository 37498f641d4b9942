import type { ObjectMeta, Optional, TypeMeta } from './object-meta.js'

/** The fields of a core/v1 Node that affect rules: zone label, pod CIDRs and addresses. */
export interface Node extends TypeMeta {
  readonly metadata?: Optional<ObjectMeta>
  readonly spec?: Optional<NodeSpec>
  readonly status?: Optional<NodeStatus>
}

export interface NodeSpec {
  readonly podCIDR?: Optional<string>
  readonly podCIDRs?: Optional<readonly string[]>
}

export interface NodeStatus {
  readonly addresses?: Optional<readonly NodeAddress[]>
}

export interface NodeAddress {
  readonly type: string
  readonly address: string
}
