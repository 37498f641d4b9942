import type { Cidr, IpFamily } from '@kube-rules/types'
import { parseCidr } from '@kube-rules/types/internal/cidr'

/** An address with a port as written in the configuration. */
export interface HostPort {
  readonly host: string
  readonly port: string
}

/**
 * Splits `host:port` or `[host]:port`. The parts are not validated. Returns undefined for any other form. Mirrors
 * `net.SplitHostPort` of Go.
 */
export function splitHostPort(text: string): HostPort | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:[\]]*)$/.exec(text) ?? []
  const host = bracketed ?? plain
  return host === undefined || port === undefined ? undefined : { host, port }
}

/**
 * Returns the networks of one family in `texts`, in order. Host bits in their text are cleared unless `keepsText` is
 * true. Spaces around a network are removed; invalid items are ignored.
 */
export function parseCidrsOfFamily(texts: readonly string[], family: IpFamily, keepsText = false): readonly Cidr[] {
  const cidrs = texts.map((text) => parseConfiguredCidr(text.trim(), keepsText)).filter((cidr) => cidr !== undefined)
  return cidrs.filter((cidr) => cidr.family === family)
}

/** Parses a network. Host bits in its text are cleared unless `keepsText` is true. */
export function parseConfiguredCidr(text: string, keepsText: boolean): Cidr | undefined {
  const cidr = parseCidr(text)
  return cidr === undefined || !keepsText ? cidr : { ...cidr, text }
}

/** Splits a `clusterCIDR` into networks. Returns an empty list for an empty value. */
export function splitClusterCidr(clusterCIDR: string): readonly string[] {
  return clusterCIDR.trim() === '' ? [] : clusterCIDR.split(',')
}
