import type { FlagValues } from './flags.js'
import { answer, type Routes } from './health.js'

const WARNING = `Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for
debugging purposes only.`

export interface StatusPageOptions {
  readonly startTime: number
  /** The flags of the command line with their values. */
  readonly flags: FlagValues
  readonly versionInUse: () => string | undefined
}

/** Returns the routes of `/statusz`, `/flagz` and `/metrics/slis`, which kube-proxy 1.36 serves by default. */
export function statusPages({ startTime, flags, versionInUse }: StatusPageOptions): Routes {
  const lines = Object.entries(flags).map(([name, value]) => `${name}=${value ?? ''}`)
  return {
    '/statusz': answer(() => {
      const seconds = Math.floor((Date.now() - startTime) / 1000)
      const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
      const facts = [
        `Started: ${new Date(startTime).toUTCString()}`,
        `Up: ${hours} hr ${`${minutes}`.padStart(2, '0')} min ${`${seconds % 60}`.padStart(2, '0')} sec`,
        `Emulation version: ${versionInUse() ?? 'unknown'}`,
        'Paths: /configz /flagz /healthz /metrics /metrics/slis /proxyMode /statusz',
      ]
      return `\nkube-proxy statusz\n${WARNING}\n\n${facts.join('\n')}\n`
    }),
    '/flagz': answer(() => `\nkube-proxy flagz\n${WARNING}\n\n${lines.sort().join('\n')}\n`),
    '/metrics/slis': answer(
      () =>
        [
          '# HELP kubernetes_healthcheck [STABLE] This metric records the result of a single healthcheck.',
          '# TYPE kubernetes_healthcheck gauge',
          'kubernetes_healthcheck{name="ping",type="healthz"} 1',
          '',
        ].join('\n'),
      'text/plain; version=0.0.4; charset=utf-8',
    ),
  }
}
