import type { IpFamily } from '@kube-rules/types'

/** Returns the program that changes single rules. */
export function ruleTool(family: IpFamily): 'iptables' | 'ip6tables' {
  return family === 'IPv4' ? 'iptables' : 'ip6tables'
}

/** Returns the program that loads whole tables. */
export function restoreTool(family: IpFamily): 'iptables-restore' | 'ip6tables-restore' {
  return `${ruleTool(family)}-restore`
}
