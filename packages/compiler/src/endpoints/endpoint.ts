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
  /** Names of zones this endpoint is hinted for. */
  readonly zoneHints: readonly string[]
  /** Names of nodes this endpoint is hinted for. */
  readonly nodeHints: readonly string[]
}

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
    zoneHints: endpoint.zoneHints,
    nodeHints: endpoint.nodeHints,
  }
}
