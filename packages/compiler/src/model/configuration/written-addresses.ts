import { type Cidr, type IpFamily, parseCidr } from '@kube-rules/types'

/** How the configuration writes an address with a port. */
export interface HostPort {
  readonly host: string
  readonly port: string
}

/**
 * The two parts of `host:port` or `[host]:port`, not looked into; undefined where `text` has another form.
 * Mirrors `net.SplitHostPort` of Go.
 */
export function splitHostPort(text: string): HostPort | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:[\]]*)$/.exec(text) ?? []
  const host = bracketed ?? plain
  return host === undefined || port === undefined ? undefined : { host, port }
}

/** The networks of one family among `texts`, in their order. Blanks around a network, and what is none, are ignored. */
export function cidrsOfFamily(texts: readonly string[], family: IpFamily): readonly Cidr[] {
  const cidrs = texts.map((text) => parseCidr(text.trim())).filter((cidr) => cidr !== undefined)
  return cidrs.filter((cidr) => cidr.family === family)
}

/** The parts of a `clusterCIDR`; none where it is empty. */
export function clusterCidrParts(clusterCIDR: string): readonly string[] {
  return clusterCIDR.trim() === '' ? [] : clusterCIDR.split(',')
}
