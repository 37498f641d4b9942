import { formatFlagPage, formatStatusPage, HEALTHCHECK_METRICS } from '@kube-rules/proxy-kit'
import type { FlagValues } from './flags.js'
import { answer, type Routes } from './health.js'

export interface StatusPageOptions {
  readonly startTime: number
  /** The flags of the command line with their values. */
  readonly flags: FlagValues
  readonly versionInUse: () => string | undefined
}

const PATHS = ['/configz', '/flagz', '/healthz', '/metrics', '/metrics/slis', '/proxyMode', '/statusz']

/** Returns the routes of `/statusz`, `/flagz` and `/metrics/slis`, which kube-proxy 1.36 serves by default. */
export function statusPages({ startTime, flags, versionInUse }: StatusPageOptions): Routes {
  const started = new Date(startTime).toUTCString()
  return {
    '/statusz': answer(() => {
      const seconds = (Date.now() - startTime) / 1000
      return formatStatusPage({ started, seconds, kubernetesVersion: versionInUse(), paths: PATHS })
    }),
    '/flagz': answer(() => formatFlagPage(flags)),
    '/metrics/slis': answer(() => HEALTHCHECK_METRICS, 'text/plain; version=0.0.4; charset=utf-8'),
  }
}
