import type { ObjectMeta, Optional, TypeMeta } from './object-meta.js'

/**
 * The fields of a discovery.k8s.io/v1 EndpointSlice that affect rules or identify its endpoints, and `topology` of
 * v1beta1.
 */
export interface EndpointSlice extends TypeMeta {
  readonly metadata?: Optional<ObjectMeta>
  readonly addressType: string
  /** Raw JSON has `null` for an empty list. */
  readonly endpoints?: Optional<readonly SliceEndpoint[]>
  readonly ports?: Optional<readonly SlicePort[]>
}

export interface SliceEndpoint {
  readonly addresses: readonly string[]
  readonly conditions?: Optional<EndpointConditions>
  readonly nodeName?: Optional<string>
  readonly zone?: Optional<string>
  readonly hints?: Optional<EndpointHints>
  readonly targetRef?: Optional<EndpointTarget>
  /** Labels of the node of the endpoint; only in v1beta1. */
  readonly topology?: Optional<Readonly<Record<string, string>>>
}

/** The target of an endpoint, usually a Pod. It does not affect rules. */
export interface EndpointTarget {
  readonly kind?: Optional<string>
  readonly name?: Optional<string>
}

export interface EndpointConditions {
  readonly ready?: Optional<boolean>
  readonly serving?: Optional<boolean>
  readonly terminating?: Optional<boolean>
}

export interface EndpointHints {
  readonly forZones?: Optional<readonly { readonly name: string }[]>
  readonly forNodes?: Optional<readonly { readonly name: string }[]>
}

export interface SlicePort {
  readonly name?: Optional<string>
  readonly protocol?: Optional<string>
  readonly port?: Optional<number>
}
