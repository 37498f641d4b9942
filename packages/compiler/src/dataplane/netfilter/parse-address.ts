import type { IpFamily } from '@kube-rules/types'
import { familyOf, parseIp } from '@kube-rules/types/internal/ip'

/**
 * Parses an address and returns its canonical notation. Returns undefined for input that the tools would interpret
 * differently or resolve: leading zeros in IPv4 addresses (octal), short forms, names, and IPv4-mapped addresses.
 */
export function parseAddress(text: string, family: IpFamily = familyOf(text)): string | undefined {
  const ip = parseIp(text)
  if (ip === undefined || ip.family !== family) return undefined
  return family === 'IPv6' || ip.text === text ? ip.text : undefined
}
