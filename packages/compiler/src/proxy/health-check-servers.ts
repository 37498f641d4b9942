import type { CompileResult } from '../compilation/compile-result.js'
import type { HealthCheckNodePort } from '../model/services/health-checks.js'

/** A health-check node port, and the addresses that serve it. */
export interface HealthCheckServer extends HealthCheckNodePort {
  /** The addresses that the server listens on, without port; `0.0.0.0` or `::` for all addresses. */
  readonly addresses: readonly string[]
}

/**
 * Returns the health-check servers of a result, one for each health-check node port. Both families share the server,
 * which has the larger of their numbers of local endpoints. The address `::` also receives IPv4.
 */
export function healthCheckServersOf({ families }: CompileResult): readonly HealthCheckServer[] {
  const everywhere = families.some(({ family }) => family === 'IPv6') ? '::' : '0.0.0.0'
  const isEverywhere = families.some(({ plan }) => plan.nodePorts.all)
  const addresses = isEverywhere ? [everywhere] : families.flatMap(({ plan }) => plan.nodePorts.addresses)
  const servers = new Map<string, HealthCheckServer>()
  for (const each of families.flatMap(({ healthCheckNodePorts }) => healthCheckNodePorts)) {
    const key = `${each.namespace}/${each.name} ${each.port}`
    const localEndpoints = Math.max(servers.get(key)?.localEndpoints ?? 0, each.localEndpoints)
    servers.set(key, { ...each, localEndpoints, addresses })
  }
  return [...servers.values()]
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
