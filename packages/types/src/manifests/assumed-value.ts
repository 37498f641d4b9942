import type { ObjectReference } from '../diagnostic.js'

/** A value that is not in the input, and that an API server or a controller would set. */
export interface AssumedValue {
  /** The object with the value, or that the value is for. */
  readonly object: ObjectReference
  /** The kind of the assumed value. */
  readonly kind: AssumedKind
  /** The path of the field with the assumed value, such as `spec.clusterIPs`. */
  readonly path: string
  /** The assumed value, such as `198.18.4.5`. */
  readonly value: string
}

/** The kinds of assumed values. `noEndpoints` reports a Service with a selector that selects no pod. */
export type AssumedKind =
  | 'namespace'
  | 'node'
  | 'clusterIP'
  | 'nodePort'
  | 'healthCheckNodePort'
  | 'loadBalancerIP'
  | 'endpoint'
  | 'noEndpoints'
