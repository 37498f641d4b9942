import type { ObjectMeta, Optional, TypeMeta } from './object-meta.js'

/** A discovery.k8s.io/v1 EndpointSlice as the API server returns it, with `topology` of v1beta1. */
export interface EndpointSlice extends TypeMeta {
  /** Names, labels and annotations. */
  readonly metadata?: Optional<ObjectMeta>
  /** The address family, or `FQDN`. kube-proxy ignores slices of the type `FQDN`. */
  readonly addressType: string
  /** The endpoints. In raw JSON, an empty list can be `null`. */
  readonly endpoints?: Optional<readonly SliceEndpoint[]>
  /** The ports; each port applies to all endpoints. */
  readonly ports?: Optional<readonly SlicePort[]>
}

/** An endpoint of an EndpointSlice. */
export interface SliceEndpoint {
  /** The addresses; kube-proxy uses the first. */
  readonly addresses: readonly string[]
  /** The state of the endpoint. */
  readonly conditions?: Optional<EndpointConditions>
  /** The node that the endpoint is on. */
  readonly nodeName?: Optional<string>
  /** The zone of the endpoint. */
  readonly zone?: Optional<string>
  /** The nodes and zones that should use the endpoint. */
  readonly hints?: Optional<EndpointHints>
  /** The object with the address, usually a Pod. */
  readonly targetRef?: Optional<EndpointTarget>
  /** Labels of the node that the endpoint is on; only in v1beta1. */
  readonly topology?: Optional<Readonly<Record<string, string>>>
  /** The `topology` of objects of v1beta1 that are returned as v1. It does not affect rules. */
  readonly deprecatedTopology?: Optional<Readonly<Record<string, string>>>
  /** The host name of the endpoint in DNS. It does not affect rules. */
  readonly hostname?: Optional<string>
}

/** The target of an endpoint, usually a Pod. It does not affect rules. */
export interface EndpointTarget {
  /** The kind of the object, such as `Pod`. */
  readonly kind?: Optional<string>
  /** The name of the object. */
  readonly name?: Optional<string>
  /** The namespace of the object. */
  readonly namespace?: Optional<string>
  /** The identity of the object in its cluster. */
  readonly uid?: Optional<string>
}

/** The state of an endpoint. */
export interface EndpointConditions {
  /** Whether the endpoint is ready; absent means true. */
  readonly ready?: Optional<boolean>
  /** Whether the endpoint serves, even while it terminates. */
  readonly serving?: Optional<boolean>
  /** Whether the pod of the endpoint is being deleted. */
  readonly terminating?: Optional<boolean>
}

/** Topology hints: the nodes and zones that should use an endpoint. */
export interface EndpointHints {
  /** The zones. */
  readonly forZones?: Optional<readonly { readonly name: string }[]>
  /** The nodes. */
  readonly forNodes?: Optional<readonly { readonly name: string }[]>
}

/** A port of an EndpointSlice. */
export interface SlicePort {
  /** The name of the Service port that the slice port belongs to. */
  readonly name?: Optional<string>
  /** The protocol. Default: TCP. */
  readonly protocol?: Optional<string>
  /** The port number. If it is absent, all ports are meant. */
  readonly port?: Optional<number>
  /** The protocol of the application, such as `http`. It does not affect rules. */
  readonly appProtocol?: Optional<string>
}
