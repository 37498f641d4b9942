import type { Frontend, ServicePlan } from './plan.js'

/**
 * A filter for stale conntrack entries, which an earlier plan has created. All matching entries must be deleted, so
 * that the next packet of each connection traverses the current rules. Only UDP has stale entries, because UDP
 * connections end only by a timeout.
 */
export type StaleConnection = StaleAddress | StaleAddressAndEndpoint | StaleNodePort | StaleNodePortAndEndpoint

/** The fields of all stale connections. */
export interface StaleConnectionFields {
  /** Only UDP has stale entries. */
  readonly protocol: 'UDP'
}

/** Connections to an address, whatever their port and endpoint. */
export interface StaleAddress extends StaleConnectionFields {
  /** All conntrack entries to this address. */
  readonly kind: 'address'
  /** The original destination. */
  readonly address: string
}

/** Connections to an address that are translated (DNAT) to one particular endpoint. */
export interface StaleAddressAndEndpoint extends StaleConnectionFields {
  /** The entries for an address that are translated to one endpoint. */
  readonly kind: 'addressAndEndpoint'
  /** The original destination. */
  readonly address: string
  /** The IP of the endpoint; its port is ignored. */
  readonly endpoint: string
}

/** Connections to a node port, whatever their address. */
export interface StaleNodePort extends StaleConnectionFields {
  /** All conntrack entries to this node port. */
  readonly kind: 'nodePort'
  /** The node port. */
  readonly port: number
}

/** Connections to a node port that are translated (DNAT) to one particular endpoint. */
export interface StaleNodePortAndEndpoint extends StaleConnectionFields {
  /** The entries for a node port that are translated to one endpoint. */
  readonly kind: 'nodePortAndEndpoint'
  /** The node port. */
  readonly port: number
  /** The IP of the endpoint; its port is ignored. */
  readonly endpoint: string
}

/** The destination of stale connections; without an address for a node port. */
type StaleDestination = Pick<Frontend, 'address' | 'port'>

/** Returns the filters for the connections to the cluster IP of a removed UDP service port. */
export function staleOfRemoved({ frontends }: ServicePlan): readonly StaleConnection[] {
  return frontends.filter(({ kind }) => kind === 'clusterIP').map(createStaleConnectionToFrontend)
}

/** Returns the filter for all connections to a frontend. */
export function createStaleConnectionToFrontend({ address, port }: StaleDestination): StaleConnection {
  return address === undefined
    ? { kind: 'nodePort', protocol: 'UDP', port }
    : { kind: 'address', protocol: 'UDP', address }
}

/** Returns the filter for the connections to a frontend that are translated (DNAT) to one particular endpoint. */
export function createStaleConnectionToEndpoint(
  { address, port }: StaleDestination,
  endpoint: string,
): StaleConnection {
  return address === undefined
    ? { kind: 'nodePortAndEndpoint', protocol: 'UDP', port, endpoint }
    : { kind: 'addressAndEndpoint', protocol: 'UDP', address, endpoint }
}
