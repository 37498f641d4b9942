import type { CompileResult } from '../compilation/compile-result.js'
import type { HealthCheckNodePort } from '../model/services/health-checks.js'

/** A health-check node port, and the addresses that serve it. */
export interface HealthCheckServer extends HealthCheckNodePort {
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
