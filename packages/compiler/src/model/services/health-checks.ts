import type { EndpointsByPort } from '../endpoints/endpoints-by-port.js'
import type { ServiceFacts } from './service-facts.js'

/** A health-check responder that kube-proxy must run on the node for a Service, in one address family. */
export interface HealthCheckNodePort {
  /** The namespace of the Service. */
  readonly namespace: string
  /** The name of the Service. */
  readonly name: string
  /** The port of the responder on the node (`healthCheckNodePort`). */
  readonly port: number
  /**
   * The number of distinct addresses of ready endpoints on this node. It counts the endpoints of all ports of the
   * Service in this family.
   */
  readonly localEndpoints: number
}

/**
 * Returns the health-check responder of a Service in one family, or undefined if the Service has no responder. The
 * number of endpoints includes endpoints for ports that the Service does not have. Mirrors `HealthCheckNodePorts` and
 * `LocalReadyEndpoints` of kube-proxy v1.30.
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
