import type { EndpointsByPort } from '../endpoints/endpoints-by-port.js'
import type { ServiceFacts } from './service-facts.js'

/** A health-check responder that the node must run for a Service. */
export interface HealthCheckNodePort {
  /** The namespace of the Service. */
  readonly namespace: string
  /** The name of the Service. */
  readonly name: string
  /** The port of the node (`healthCheckNodePort`). */
  readonly port: number
  /**
   * The number of distinct addresses of ready endpoints on this node, of this family, over all ports of the Service.
   */
  readonly localEndpoints: number
}

/**
 * Returns the responder of a Service in one family, or undefined if it has none. The number of endpoints includes
 * endpoints of ports that the Service does not have. Mirrors `HealthCheckNodePorts` and `LocalReadyEndpoints` of
 * kube-proxy v1.30.
 */
export function findHealthCheckPort(facts: ServiceFacts, endpoints: EndpointsByPort): HealthCheckNodePort | undefined {
  if (facts.healthCheckNodePort === 0 || facts.ports.length === 0) return undefined
  const addresses = new Set<string>()
  for (const list of endpoints.values()) {
    for (const { ip, ready, local } of list) if (ready && local) addresses.add(ip)
  }
  const { namespace, name, healthCheckNodePort: port } = facts
  return { namespace, name, port, localEndpoints: addresses.size }
}
