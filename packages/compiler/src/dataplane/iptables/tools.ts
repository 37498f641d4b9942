import type { IpFamily } from '@kube-rules/types'

/**
 * Makes a tool wait up to five seconds for the iptables lock (`/run/xtables.lock`). After this time, the tool exits
 * with status 4. Without these arguments, `iptables` fails at once, and `iptables-restore` may wait forever.
 * iptables-nft has no lock, but accepts the option.
 *
 * Mirrors `WaitString` and `WaitSecondsValue` of kube-proxy v1.30, except for `-W`, which iptables has ignored since
 * 1.8.8.
 */
export const LOCK_WAIT_ARGUMENTS: readonly string[] = ['-w', '5']

/** Returns the program that changes individual rules. */
export function iptablesToolOf(family: IpFamily): 'iptables' | 'ip6tables' {
  return family === 'IPv4' ? 'iptables' : 'ip6tables'
}

/** Returns the program that loads whole tables. */
export function restoreToolOf(family: IpFamily): 'iptables-restore' | 'ip6tables-restore' {
  return `${iptablesToolOf(family)}-restore`
}
