import { joinHostPort } from '@kube-rules/types/internal/ip'

/** One address and port behind a Service port, in any condition. Mirrors `BaseEndpointInfo` of kube-proxy v1.30. */
export interface Endpoint {
  /** The address, in canonical form. */
  readonly ip: string
  /** The port. */
  readonly port: number
  /** `ip:port`, or `[ip]:port` for IPv6. */
  readonly text: string
  /** The condition `ready`; true if it is absent. */
  readonly ready: boolean
  /** The condition `serving`; if it is absent, the condition `ready`. */
  readonly serving: boolean
  /** The condition `terminating`. */
  readonly terminating: boolean
  /** The node it runs on; empty if unknown. */
  readonly nodeName: string
  /** Whether it is on this node. */
  readonly local: boolean
  /** The topology hints. */
  readonly hints: EndpointHints
  /** The labels of its node that its slice contains; only with feature `topologyKeys`. */
  readonly topology?: ReadonlyMap<string, string> | undefined
}

/** Topology hints of an endpoint. */
export interface EndpointHints {
  /** Names of zones; empty for all. */
  readonly zones: readonly string[]
  /** Names of nodes; empty for all, and in versions without node hints. */
  readonly nodes: readonly string[]
}

const NO_NAMES: readonly string[] = Object.freeze([])

/** The hints of an endpoint for all zones and nodes, shared by most. */
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
