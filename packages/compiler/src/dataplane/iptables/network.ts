import type { IpFamily } from '@kube-rules/types'
import { cidrContains, hostPrefixLengthOf, parseCidr } from '@kube-rules/types/internal/cidr'
import { familyOf } from '@kube-rules/types/internal/ip'
import { parseAddress } from '../netfilter/parse-address.js'

/**
 * Parses an address (`10.0.0.1`) or a network (`10.0.0.0/8`) and returns its canonical notation. A contiguous mask
 * becomes a prefix length. Returns undefined for input that the tools would interpret differently or resolve: leading
 * zeros (octal), short forms, lists, names, IPv4-mapped addresses, and non-contiguous masks.
 */
export function parseNetwork(text: string, family: IpFamily): string | undefined {
  const slash = text.indexOf('/')
  if (slash < 0) return parseAddress(text, family)
  const given = text.slice(0, slash)
  const mask = text.slice(slash + 1)
  const address = parseAddress(given, family)
  if (address === undefined) return undefined
  // Fast path: most networks in a dump are individual addresses in canonical notation.
  if (address === given && mask === HOST_LENGTHS[family]) return text
  const length = readMask(mask, family)
  return length === hostPrefixLengthOf(family) ? `${address}/${length}` : parseCidr(`${address}/${length}`)?.text
}

/** Formats the network like the kernel: masked, and with a prefix length, including `/32` and `/128`. */
export function withPrefixLength(network: string, family: IpFamily): string {
  const slash = network.indexOf('/')
  if (slash < 0) return `${network}/${hostPrefixLengthOf(family)}`
  // Fast path: most networks are individual addresses.
  return network.endsWith(`/${HOST_LENGTHS[family]}`) ? network : (parseCidr(network)?.text ?? network)
}

/** Reports whether a canonical network, with or without prefix length, contains a canonical address. */
export function networkContains(network: string, address: string): boolean {
  const slash = network.indexOf('/')
  if (slash < 0) return network === address
  // Fast path: most networks in a dump are individual addresses.
  if (slash === address.length && network.startsWith(address)) return true
  const [given, prefixLength] = [network.slice(0, slash), Number(network.slice(slash + 1))]
  return cidrContains({ family: familyOf(network), text: network, address: given, prefixLength }, address)
}

/** Reports whether the network is the whole address space. */
export function isZeroCidr(network: string): boolean {
  return network.endsWith('/0')
}

/** Parses a prefix length or a contiguous mask. */
function readMask(text: string, family: IpFamily): number | undefined {
  if (/^(?:0|[1-9]\d{0,2})$/.test(text)) return Number(text) <= hostPrefixLengthOf(family) ? Number(text) : undefined
  const mask = parseAddress(text, family)
  for (let length = 0; mask !== undefined && length <= hostPrefixLengthOf(family); length++) {
    if (parseCidr(`${family === 'IPv4' ? ALL_ONES_IPV4 : ALL_ONES_IPV6}/${length}`)?.address === mask) return length
  }
  return undefined
}

const HOST_LENGTHS: Readonly<Record<IpFamily, string>> = { IPv4: '32', IPv6: '128' }

const ALL_ONES_IPV4 = '255.255.255.255'
const ALL_ONES_IPV6 = 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'

/** Returns the mask of an individual address in iptables-save notation. */
export function hostMaskOf(family: IpFamily): string {
  return family === 'IPv4' ? ALL_ONES_IPV4 : ALL_ONES_IPV6
}
