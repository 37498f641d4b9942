import type { ObjectReference } from '@kube-rules/types'

/** A value that is not in the input, and that an API server or a controller would set. */
export interface AssumedValue {
  readonly object: ObjectReference
  /** The kind of the assumed value. */
  readonly kind: AssumedKind
  /** The path of the field with the assumed value, such as `spec.clusterIPs`. */
  readonly path: string
  /** The assumed value, such as `198.18.4.5`. */
  readonly value: string
}

export type AssumedKind =
  | 'namespace'
  | 'node'
  | 'clusterIP'
  | 'nodePort'
  | 'healthCheckNodePort'
  | 'loadBalancerIP'
  | 'endpoint'
  | 'noEndpoints'
