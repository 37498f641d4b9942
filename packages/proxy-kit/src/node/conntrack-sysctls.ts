import type { EffectiveConfiguration } from '@kube-rules/compiler/internal/model/configuration/effective-configuration'

/** A setting of the kernel, as a file below `/proc/sys` or `/sys`. */
export interface ConntrackSysctl {
  /** The path of the file. */
  readonly path: string
  /** The content of the file: a number of entries, a number of seconds, or 1 for a flag; never 0. */
  readonly value: number
  /** Whether `value` is a minimum: a larger value remains. */
  readonly isMinimum: boolean
}

/**
 * The limit for `maxPerCore` times the number of processors. Only kube-proxy 1.36 and newer have this limit; `min` is
 * not limited.
 */
const MAXIMUM = 1_048_576

const CONNTRACK = '/proc/sys/net/netfilter/nf_conntrack_'

/**
 * Returns the settings of connection tracking that kube-proxy writes at its start, on a machine with this number of
 * processors. Mirrors `setupConntrack`.
 *
 * @example
 * ```ts
 * const { conntrack } = completeConfiguration({ conntrack: { maxPerCore: 100_000 } })
 * conntrackSysctlsOf(conntrack, 4)[0]
 * // => { path: '/proc/sys/net/netfilter/nf_conntrack_max', value: 400000, isMinimum: true }
 * ```
 */
export function conntrackSysctlsOf(
  conntrack: EffectiveConfiguration['conntrack'],
  processors: number,
): readonly ConntrackSysctl[] {
  const { maxPerCore, min, tcpBeLiberal } = conntrack
  const scaled = maxPerCore * processors
  const max = scaled > MAXIMUM ? MAXIMUM : Math.max(scaled, maxPerCore === 0 ? 0 : min)
  const timeouts = {
    tcp_timeout_established: conntrack.tcpEstablishedTimeout,
    tcp_timeout_close_wait: conntrack.tcpCloseWaitTimeout,
    udp_timeout: conntrack.udpTimeout,
    udp_timeout_stream: conntrack.udpStreamTimeout,
  }
  const settings = [
    { path: `${CONNTRACK}max`, value: max, isMinimum: true },
    { path: '/sys/module/nf_conntrack/parameters/hashsize', value: Math.floor(max / 4), isMinimum: true },
    ...Object.entries(timeouts).map(([name, milliseconds]) => {
      return { path: `${CONNTRACK}${name}`, value: Math.floor(milliseconds / 1000), isMinimum: false }
    }),
    { path: `${CONNTRACK}tcp_be_liberal`, value: tcpBeLiberal ? 1 : 0, isMinimum: false },
  ]
  // Settings with the value 0 are not written.
  return settings.filter(({ value }) => value > 0)
}
