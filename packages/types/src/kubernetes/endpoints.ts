import type { EndpointTarget } from './endpoint-slice.js'
import type { ObjectMeta, Optional, TypeMeta } from './object-meta.js'

/** A core/v1 Endpoints object. Endpoints objects are used for Services that have no EndpointSlice. */
export interface Endpoints extends TypeMeta {
  /** Names, labels and annotations. */
  readonly metadata?: Optional<ObjectMeta>
  /** The addresses with their ports. */
  readonly subsets?: Optional<readonly EndpointSubset[]>
}

/** Addresses of an Endpoints object that have the same ports. */
export interface EndpointSubset {
  /** The ready addresses. */
  readonly addresses?: Optional<readonly EndpointAddress[]>
  /** The addresses that are not ready. */
  readonly notReadyAddresses?: Optional<readonly EndpointAddress[]>
  /** The ports; each port applies to all addresses. */
  readonly ports?: Optional<readonly EndpointPort[]>
}

/** An address of an Endpoints object. */
export interface EndpointAddress {
  /** The address. */
  readonly ip: string
  /** The node that the endpoint is on. */
  readonly nodeName?: Optional<string>
  /** The host name of the endpoint in DNS. It does not affect rules. */
  readonly hostname?: Optional<string>
  /** The object with the address, usually a Pod. It does not affect rules. */
  readonly targetRef?: Optional<EndpointTarget>
}

/** A port of an Endpoints object. */
export interface EndpointPort {
  /** The name of the port; may be empty if there is only one port. */
  readonly name?: Optional<string>
  /** The protocol. Default: TCP. */
  readonly protocol?: Optional<string>
  /** The port number. */
  readonly port: number
  /** The protocol of the application, such as `http`. It does not affect rules. */
  readonly appProtocol?: Optional<string>
}
