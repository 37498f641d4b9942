import type { IpFamily } from '@kube-rules/types'

/**
 * Makes a tool wait up to five seconds for the lock of iptables (`/run/xtables.lock`), and exit with 4 after that. Without it
 * `iptables` fails at once and `iptables-restore` may wait forever. iptables-nft has no lock and accepts the option.
 *
 * Mirrors `WaitString` and `WaitSecondsValue` of kube-proxy v1.30, without `-W`, which iptables ignores since 1.8.8.
 */
export const LOCK_WAIT_ARGUMENTS: readonly string[] = ['-w', '5']

/** Returns the program that changes single rules. */
export function ruleToolOf(family: IpFamily): 'iptables' | 'ip6tables' {
  return family === 'IPv4' ? 'iptables' : 'ip6tables'
}

/** Returns the program that loads whole tables. */
export function restoreToolOf(family: IpFamily): 'iptables-restore' | 'ip6tables-restore' {
  return `${ruleToolOf(family)}-restore`
}
