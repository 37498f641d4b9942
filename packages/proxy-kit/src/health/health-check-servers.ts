import type { CompileResult } from '@kube-rules/compiler'
import type { HealthCheckNodePort } from '@kube-rules/compiler/plan'
import type { IpFamily } from '@kube-rules/types'

/** A health-check node port in one address family, and the addresses that serve it. */
export interface HealthCheckServer extends HealthCheckNodePort {
  /** The address family. The server must not accept connections of the other family. */
  readonly family: IpFamily
  /** The addresses of the family that the server listens on, without port; `0.0.0.0` or `::` for all of them. */
  readonly addresses: readonly string[]
}

const ALL_ADDRESSES: Readonly<Record<IpFamily, string>> = { IPv4: '0.0.0.0', IPv6: '::' }

/**
 * Returns the health-check servers of a result: for each health-check node port, one server in each family of its
 * Service. A server counts the endpoints of its family. Mirrors `ServiceHealthServer` of kube-proxy v1.36. If
 * `nodePortAddresses` selects all addresses, older versions have only one server for both families, with the count of
 * the family that is programmed first.
 */
export function healthCheckServersOf({ families }: CompileResult): readonly HealthCheckServer[] {
  return families.flatMap(({ family, plan, healthCheckNodePorts }) => {
    const addresses = plan.nodePorts.all ? [ALL_ADDRESSES[family]] : plan.nodePorts.addresses
    return healthCheckNodePorts.map((each) => ({ ...each, family, addresses }))
  })
}

/** The HTTP response of a health-check node port. */
export interface HealthCheckResponse {
  /** The status code: 200 if the node has ready endpoints and the proxy is healthy. */
  readonly status: 200 | 503
  /** The headers, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The body, as JSON. */
  readonly body: string
}

/**
 * Returns the HTTP response of a health-check node port. `isHealthy` is the health of the proxy. Load balancers use the header
 * `x-load-balancing-endpoint-weight` to distribute connections by the number of endpoints.
 */
export function createHealthCheckResponse(
  { namespace, name, localEndpoints }: Omit<HealthCheckNodePort, 'port'>,
  isHealthy: boolean,
): HealthCheckResponse {
  const content = { service: { namespace, name }, localEndpoints, serviceProxyHealthy: isHealthy }
  return {
    status: localEndpoints > 0 && isHealthy ? 200 : 503,
    headers: {
      ...{ 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
      'x-load-balancing-endpoint-weight': `${localEndpoints}`,
    },
    body: JSON.stringify(content, undefined, '\t'),
  }
}
