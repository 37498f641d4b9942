import type { IpFamily } from '@kube-rules/types'
import { processBehaviorOf } from '../configuration/process-behavior.js'
import type { HealthStatus } from './proxy-health.js'

/** The facts that the body of a health response contains, besides the status. */
export interface HealthBodyOptions {
  /** The version of kube-proxy to emulate. Default: the newest supported version. */
  readonly kubernetesVersion?: string | undefined
  /** The address families that the proxy programs. */
  readonly families: readonly IpFamily[]
  /** The current time, on the clock of the status. */
  readonly now: number
  /** Formats a time of the status as in RFC 3339: `2026-01-01T00:00:00.000Z`. */
  readonly formatTime: (time: number) => string
}

/** The zero time of Go. */
const NEVER = '0001-01-01T00:00:00Z'

/**
 * Returns the body of `/healthz` or `/livez`. From 1.33 on, the body also has the health of each family. One process of
 * kube-rules programs all families, so they have the same health.
 *
 * @example
 * ```ts
 * const health = createProxyHealth(60_000)
 * const options = { families: ['IPv4'], now: 7, formatTime: (time) => `T${time}`, kubernetesVersion: '1.32' }
 * formatHealthBody('/livez', health.report('/livez', 7), options)
 * // => '{"lastUpdated": "T7","currentTime": "T7"}'
 * ```
 */
export function formatHealthBody(
  path: '/healthz' | '/livez',
  status: HealthStatus,
  { kubernetesVersion, families, now, formatTime }: HealthBodyOptions,
): string {
  const { nodeEligible, isHealthy, updated } = status
  const isKnown = status.status === 200 || updated !== undefined
  const lastUpdated = isKnown ? formatTime(status.lastUpdated) : NEVER
  const currentTime = formatTime(now)
  if (!processBehaviorOf(kubernetesVersion).healthOfFamilies) {
    const node = path === '/healthz' ? `, "nodeEligible": ${nodeEligible}` : ''
    return `{"lastUpdated": "${lastUpdated}","currentTime": "${currentTime}"${node}}`
  }
  return JSON.stringify({
    ...{ lastUpdated, currentTime },
    ...(path === '/healthz' && { nodeEligible }),
    healthy: isHealthy,
    ...(updated !== undefined && {
      status: Object.fromEntries(
        families.map((family) => [family, { lastUpdated: formatTime(updated), healthy: isHealthy }]),
      ),
    }),
  })
}
