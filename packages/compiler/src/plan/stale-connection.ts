import type { Frontend } from './plan.js'

/**
 * A filter for conntrack entries that follow an earlier plan. All matching entries must be deleted, so that the next
 * packet of their connections is decided again. Only UDP, because UDP connections end only by a timeout.
 */
export type StaleConnection = StaleAddress | StaleAddressAndEndpoint | StaleNodePort | StaleNodePortAndEndpoint

/** The fields of all stale connections. */
export interface StaleConnectionFields {
  /** Only UDP has stale entries. */
  readonly protocol: 'UDP'
}

/** Connections to an address, with any port and endpoint. */
export interface StaleAddress extends StaleConnectionFields {
  /** All entries to an address. */
  readonly kind: 'address'
  /** The original destination. */
  readonly address: string
}

/** Connections to an address with a particular endpoint. */
export interface StaleAddressAndEndpoint extends StaleConnectionFields {
  /** The entries from an address to one endpoint. */
  readonly kind: 'addressAndEndpoint'
  /** The original destination. */
  readonly address: string
  /** The IP of the endpoint; its port is ignored. */
  readonly endpoint: string
}

/** Connections to a node port, at any address. */
export interface StaleNodePort extends StaleConnectionFields {
  /** All entries to a node port. */
  readonly kind: 'nodePort'
  /** The node port. */
  readonly port: number
}

/** Connections to a node port with a particular endpoint. */
export interface StaleNodePortAndEndpoint extends StaleConnectionFields {
  /** The entries from a node port to one endpoint. */
  readonly kind: 'nodePortAndEndpoint'
  /** The node port. */
  readonly port: number
  /** The IP of the endpoint; its port is ignored. */
  readonly endpoint: string
}

export function isClusterIP({ kind }: Frontend): boolean {
  return kind === 'clusterIP'
}

/** Returns all connections to a frontend. */
export function listStaleConnectionsToFrontend({ address, port }: Frontend): StaleConnection {
  return address === undefined
    ? { kind: 'nodePort', protocol: 'UDP', port }
    : { kind: 'address', protocol: 'UDP', address }
}

/** Returns the connections from a frontend to an endpoint. */
export function listStaleConnectionsToEndpoint({ address, port }: Frontend, endpoint: string): StaleConnection {
  return address === undefined
    ? { kind: 'nodePortAndEndpoint', protocol: 'UDP', port, endpoint }
    : { kind: 'addressAndEndpoint', protocol: 'UDP', address, endpoint }
}
