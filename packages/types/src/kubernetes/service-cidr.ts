import type { ObjectMeta, Optional, TypeMeta } from './object-meta.js'

/** The fields of a networking.k8s.io/v1 ServiceCIDR that affect rules: the networks of cluster IPs. */
export interface ServiceCIDR extends TypeMeta {
  readonly metadata?: Optional<ObjectMeta>
  readonly spec?: Optional<ServiceCIDRSpec>
}

export interface ServiceCIDRSpec {
  readonly cidrs?: Optional<readonly string[]>
}
