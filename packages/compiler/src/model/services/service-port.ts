import type { Cidr, Protocol } from '@kube-rules/types'
import type { Endpoint } from '../endpoints/endpoint.js'

/** The identity of a service port. `text` is `namespace/name`, followed by `:port` if the port has a name. */
export interface ServicePortId {
  /** The namespace of the Service. */
  readonly namespace: string
  /** The name of the Service. */
  readonly name: string
  /** The name of the port; empty for a port without a name. */
  readonly portName: string
  /** The protocol of the port. */
  readonly protocol: Protocol
  /** Namespace, name and port name: `default/web:http`. */
  readonly text: string
}

/** One port of one Service in one family. Mirrors `BaseServicePortInfo` of kube-proxy v1.30. */
export interface ServicePort {
  readonly id: ServicePortId
  readonly clusterIP: string
  readonly port: number
  /** The node port; 0 if there is no node port. */
  readonly nodePort: number
  readonly externalIPs: readonly string[]
  readonly loadBalancerIPs: readonly string[]
  /** The source ranges; empty means that every source is accepted. */
  readonly sourceRanges: readonly Cidr[]
  /** The timeout of ClientIP affinity in seconds; absent without affinity. */
  readonly affinitySeconds?: number | undefined
  readonly internalPolicyLocal: boolean
  /**
   * Whether the external traffic policy is Local. This is the effective value, which also depends on the type of the
   * Service.
   */
  readonly externalPolicyLocal: boolean
  /**
   * The health-check port; 0 if there is no health check. This is the effective value: it also depends on the type and
   * the policy of the Service.
   */
  readonly healthCheckNodePort: number
  /** Whether topology hints may be used for this Service. */
  readonly topologyHints: boolean
  /** The node labels that select endpoints, in order of precedence. An empty or absent list selects all endpoints. */
  readonly topologyKeys?: readonly string[] | undefined
  /**
   * All known endpoints, ready or not, in the byte order of `text`; endpoints of an Endpoints object keep its order.
   */
  readonly endpoints: readonly Endpoint[]
}

/**
 * Returns the identity of a service port; `portName` is empty if the port has no name. Mirrors `ServicePortName.String`
 * of kube-proxy v1.30. Unlike kube-proxy up to v1.18, this function omits the colon if the port has no name.
 */
export function createServicePortId(
  namespace: string,
  name: string,
  portName: string,
  protocol: Protocol,
  colonAfterName = false,
): ServicePortId {
  const isShort = portName === '' && !colonAfterName
  // The parts are joined instead of concatenated, because joined strings are faster to compare, and the texts are
  // compared very often.
  const text = isShort ? [namespace, name].join('/') : [namespace, '/', name, ':', portName].join('')
  return { namespace, name, portName, protocol, text }
}

/**
 * Compares two service ports by the code-unit order of `text`, then by protocol. This is the standard order of service
 * ports.
 */
export function compareServicePortIds(a: ServicePortId, b: ServicePortId): number {
  if (a.text !== b.text) return a.text < b.text ? -1 : 1
  if (a.protocol === b.protocol) return 0
  return a.protocol < b.protocol ? -1 : 1
}
