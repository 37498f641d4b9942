import type { IpFamily } from '@kube-rules/types'

/** The program that is told of one rule by its arguments. */
export function ruleTool(family: IpFamily): 'iptables' | 'ip6tables' {
  return family === 'IPv4' ? 'iptables' : 'ip6tables'
}

/** The program that reads whole tables. */
export function restoreTool(family: IpFamily): 'iptables-restore' | 'ip6tables-restore' {
  return `${ruleTool(family)}-restore`
}
