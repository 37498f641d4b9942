import { joinHostPort } from '@kube-rules/types'

/** One address and port behind a port of a Service, whatever its state. Mirrors `BaseEndpointInfo` of kube-proxy v1.30. */
export interface Endpoint {
  readonly ip: string
  readonly port: number
  /** `ip:port`, or `[ip]:port` for IPv6. */
  readonly text: string
  readonly ready: boolean
  readonly serving: boolean
  readonly terminating: boolean
  /** The node it runs on; empty where that is not known. */
  readonly nodeName: string
  /** Whether that is this node. */
  readonly local: boolean
  /** For which zones and nodes it is meant. */
  readonly hints: EndpointHints
}

/** For which zones and nodes an endpoint is meant. */
export interface EndpointHints {
  /** Names of zones; empty where it is meant for all. */
  readonly zones: readonly string[]
  /** Names of nodes; empty where it is meant for all, and in versions that know no such hints. */
  readonly nodes: readonly string[]
}

const NO_NAMES: readonly string[] = Object.freeze([])

/** Those of an endpoint that is meant for all: most share them. */
export const NO_HINTS: EndpointHints = Object.freeze({ zones: NO_NAMES, nodes: NO_NAMES })

/** The same endpoint on another port. */
export function atPort(endpoint: Endpoint, port: number): Endpoint {
  if (endpoint.port === port) return endpoint
  return {
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
}
