import type { ObjectMeta, Optional, TypeMeta } from './object-meta.js'

/** The fields of a core/v1 Endpoints object that affect rules. Used for Services that have no EndpointSlice. */
export interface Endpoints extends TypeMeta {
  readonly metadata?: Optional<ObjectMeta>
  readonly subsets?: Optional<readonly EndpointSubset[]>
}

export interface EndpointSubset {
  readonly addresses?: Optional<readonly EndpointAddress[]>
  readonly notReadyAddresses?: Optional<readonly EndpointAddress[]>
  readonly ports?: Optional<readonly EndpointPort[]>
}

export interface EndpointAddress {
  readonly ip: string
  readonly nodeName?: Optional<string>
}

export interface EndpointPort {
  readonly name?: Optional<string>
  readonly protocol?: Optional<string>
  readonly port: number
}
