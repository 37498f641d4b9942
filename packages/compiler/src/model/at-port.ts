import { joinHostPort } from '@kube-rules/types'
import type { Endpoint } from './model.js'

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
    local: endpoint.local,
    zoneHints: endpoint.zoneHints,
    nodeHints: endpoint.nodeHints,
  }
}
