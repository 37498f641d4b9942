import { formatAddressWords, isCanonicalIpv4, parseAddressWords } from './address-words.js'

/** The two address families, as Kubernetes spells them. */
export type IpFamily = 'IPv4' | 'IPv6'

/** Both address families, in the order of results. */
export const IP_FAMILIES: readonly IpFamily[] = ['IPv4', 'IPv6']

/** An address in its canonical notation: dotted decimal for IPv4, RFC 5952 in lower case for IPv6. */
export interface IpAddress {
  /** The address family. */
  readonly family: IpFamily
  /** The canonical form. */
  readonly text: string
}

/**
 * Parses an address. Returns undefined for anything but the text of an address.
 *
 * Mirrors `ParseIPSloppy` of k8s.io/utils as kube-proxy v1.30 uses it: numbers with leading zeros are decimal
 * (`010.0.0.1` is `10.0.0.1`), an IPv6 address may end in dotted decimal, and an IPv4-mapped address (`::ffff:1.2.3.4`)
 * is IPv4. Rejects spaces, zones, brackets, hexadecimal and short IPv4 forms.
 */
export function parseIp(text: unknown): IpAddress | undefined {
  if (typeof text !== 'string') return undefined
  if (isCanonicalIpv4(text)) return { family: 'IPv4', text }
  const words = parseAddressWords(text)
  if (words === undefined) return undefined
  const unmapped = isIpv4Mapped(words) ? words.slice(6) : words
  return { family: unmapped.length === 2 ? 'IPv4' : 'IPv6', text: formatAddressWords(unmapped) }
}

function isIpv4Mapped(words: readonly number[]): boolean {
  return words.length === 8 && words[5] === 0xffff && words.slice(0, 5).every((word) => word === 0)
}

/** Returns the family of a canonical address. */
export function familyOf(address: string): IpFamily {
  return address.includes(':') ? 'IPv6' : 'IPv4'
}

/** Reports whether a canonical address is in 127.0.0.0/8 or is `::1`. */
export function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1'
}

/** Reports whether a canonical address is in 169.254.0.0/16 or fe80::/10. */
export function isLinkLocal(address: string): boolean {
  return address.startsWith('169.254.') || /^fe[89ab][0-9a-f]:/.test(address)
}

/** Reports whether a canonical address is `0.0.0.0` or `::`. */
export function isUnspecified(address: string): boolean {
  return address === '0.0.0.0' || address === '::'
}

/** Reports whether a canonical address is in 224.0.0.0/4 or ff00::/8. */
export function isMulticast(address: string): boolean {
  return /^(?:22[4-9]|23\d)\.|^ff[0-9a-f]{2}:/.test(address)
}

/** Formats an address and a port: `10.0.0.1:80`, `[fd00::1]:80`. Mirrors `net.JoinHostPort`. */
export function joinHostPort(address: string, port: number): string {
  // `join` creates a flat string. Concatenation with `+` retains the pieces of the string in memory, and there may be
  // 100,000 endpoints.
  return [address.includes(':') ? `[${address}]` : address, port].join(':')
}
