import type { ObjectMeta, Optional, TypeMeta } from './object-meta.js'

/** The fields of a networking.k8s.io/v1 ServiceCIDR that affect rules: the networks of cluster IPs. */
export interface ServiceCIDR extends TypeMeta {
  /** Names, labels and annotations. */
  readonly metadata?: Optional<ObjectMeta>
  /** The networks. */
  readonly spec?: Optional<ServiceCIDRSpec>
}

/** The specification of a ServiceCIDR. */
export interface ServiceCIDRSpec {
  /** The networks for cluster IPs. */
  readonly cidrs?: Optional<readonly string[]>
}
