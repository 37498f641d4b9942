import { joinHostPort } from '@kube-rules/types/internal/ip'

/**
 * One address and port of an endpoint behind a Service port, whatever its conditions. Mirrors `BaseEndpointInfo` of
 * kube-proxy v1.30.
 */
export interface Endpoint {
  /** The address, in canonical form. */
  readonly ip: string
  /** The port. */
  readonly port: number
  /** `ip:port`, or `[ip]:port` for IPv6. */
  readonly text: string
  /** The condition `ready`; true if it is absent. */
  readonly ready: boolean
  /** The condition `serving`; true if it is absent. */
  readonly serving: boolean
  /** The condition `terminating`. */
  readonly terminating: boolean
  /** The node that the endpoint runs on; empty if unknown. */
  readonly nodeName: string
  /** Whether the endpoint is on this node. */
  readonly local: boolean
  /** The topology hints. */
  readonly hints: EndpointHints
  /** The labels of the endpoint's node, as the slice contains them; only with the feature `topologyKeys`. */
  readonly topology?: ReadonlyMap<string, string> | undefined
}

/** Topology hints of an endpoint. */
export interface EndpointHints {
  /** The names of the zones that should use the endpoint; empty for all zones. */
  readonly zones: readonly string[]
  /**
   * The names of the nodes that should use the endpoint; empty for all nodes. Always empty in versions without node
   * hints.
   */
  readonly nodes: readonly string[]
}

const NO_NAMES: readonly string[] = Object.freeze([])

/** The hints of an endpoint for all zones and nodes. Most endpoints share this object. */
export const NO_HINTS: EndpointHints = Object.freeze({ zones: NO_NAMES, nodes: NO_NAMES })

/** Returns the endpoint with another port. */
export function withPort(endpoint: Endpoint, port: number): Endpoint {
  if (endpoint.port === port) return endpoint
  const moved: Endpoint = {
    ip: endpoint.ip,
    port,
    text: joinHostPort(endpoint.ip, port),
    ready: endpoint.ready,
    serving: endpoint.serving,
    terminating: endpoint.terminating,
    nodeName: endpoint.nodeName,
    local: endpoint.local,
    hints: endpoint.hints,
  }
  return endpoint.topology === undefined ? moved : { ...moved, topology: endpoint.topology }
}
