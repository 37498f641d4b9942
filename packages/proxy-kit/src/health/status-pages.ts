const WARNING = `Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for
debugging purposes only.`

/** The facts on the status page of a proxy. */
export interface StatusPageFacts {
  /** The time of the start, in the format of the page: `Thu, 01 Jan 2026 00:00:00 GMT`. */
  readonly started: string
  /** The time since the start in seconds. */
  readonly seconds: number
  /** The version of kube-proxy to emulate. Undefined before the first update. */
  readonly kubernetesVersion: string | undefined
  /** The paths that the server of the page serves. */
  readonly paths: readonly string[]
}

/**
 * Returns the text of `/statusz`, which kube-proxy 1.36 and newer serves by default.
 *
 * @example
 * ```ts
 * const facts = { started: 'Thu, 01 Jan 2026 00:00:00 GMT', seconds: 3_723, kubernetesVersion: '1.36', paths: [] }
 * formatStatusPage(facts).includes('Up: 1 hr 02 min 03 sec') // => true
 * ```
 */
export function formatStatusPage({ started, seconds, kubernetesVersion, paths }: StatusPageFacts): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const facts = [
    `Started: ${started}`,
    `Up: ${hours} hr ${twoDigits(minutes)} min ${twoDigits(Math.floor(seconds) % 60)} sec`,
    `Emulation version: ${kubernetesVersion ?? 'unknown'}`,
    `Paths: ${[...paths].sort().join(' ')}`,
  ]
  return `\nkube-proxy statusz\n${WARNING}\n\n${facts.join('\n')}\n`
}

/**
 * Returns the text of `/flagz`, which kube-proxy 1.36 and newer serves by default.
 *
 * @example
 * ```ts
 * formatFlagPage({ 'proxy-mode': 'nftables' }).endsWith('\n\nproxy-mode=nftables\n') // => true
 * ```
 */
export function formatFlagPage(flags: Readonly<Record<string, string | undefined>>): string {
  const lines = Object.entries(flags).map(([name, value]) => `${name}=${value ?? ''}`)
  return `\nkube-proxy flagz\n${WARNING}\n\n${lines.sort().join('\n')}\n`
}

/** The text of `/metrics/slis`. Like kube-proxy, it has only the health check of the server. */
export const HEALTHCHECK_METRICS = `# HELP kubernetes_healthcheck [STABLE] This metric records the result of a single healthcheck.
# TYPE kubernetes_healthcheck gauge
kubernetes_healthcheck{name="ping",type="healthz"} 1
`

function twoDigits(number: number): string {
  return `${number}`.padStart(2, '0')
}
