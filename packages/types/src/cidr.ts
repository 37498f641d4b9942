import { formatAddressWords, parseAddressWords } from './address-words.js'
import { familyOf, type IpAddress, type IpFamily, parseIp } from './ip.js'

/**
 * A network. `text` is the masked canonical form: `10.1.2.3/8` becomes `10.0.0.0/8`. As an exception, if kube-proxy up
 * to 1.29 writes a network as given, `text` is the given text.
 */
export interface Cidr {
  /** The address family. */
  readonly family: IpFamily
  /** The canonical form: `10.244.0.0/16`. */
  readonly text: string
  /** The network address, `10.0.0.0`. */
  readonly address: string
  /** The length of the prefix, in bits. */
  readonly prefixLength: number
}

/**
 * Parses and masks a network (`ADDRESS/PREFIX`). Returns undefined if `text` is not a network or not a string.
 *
 * Mirrors `ParseCIDRSloppy` of k8s.io/utils as kube-proxy v1.30 uses it; like `ParseCIDRSloppy`, accepts surplus
 * leading zeros. Unlike `ParseCIDRSloppy`, this function rejects an IPv4-mapped IPv6 network (`::ffff:1.2.3.0/120`),
 * which `parseMappedCidr` parses.
 */
export function parseCidr(text: string): Cidr | undefined {
  const parts = splitCidr(text)
  if (parts === undefined || parts.ip.family !== familyOf(parts.addressText)) return undefined
  return maskedCidr(parts.ip.text, parts.prefixLength)
}

/**
 * Parses and masks an IPv4-mapped IPv6 network. Returns undefined for any other text. A network within `::ffff:0:0/96` is
 * the IPv4 network that it contains: `::ffff:10.1.2.3/104` is `10.0.0.0/8`. A shorter prefix includes other addresses, so
 * the network is IPv6. Mirrors `ParseCIDRSloppy` of k8s.io/utils and `IPNet.String` of Go.
 */
export function parseMappedCidr(text: string): Cidr | undefined {
  const parts = splitCidr(text)
  if (parts === undefined || parts.ip.family !== 'IPv4' || familyOf(parts.addressText) !== 'IPv6') return undefined
  const { addressText, ip, prefixLength } = parts
  return prefixLength >= MAPPED_PREFIX_LENGTH
    ? maskedCidr(ip.text, prefixLength - MAPPED_PREFIX_LENGTH)
    : maskedCidr(addressText, prefixLength)
}

/** The prefix length of `::ffff:0:0/96`, which contains all IPv4-mapped addresses. */
const MAPPED_PREFIX_LENGTH = 96

interface CidrParts {
  readonly addressText: string
  readonly ip: IpAddress
  readonly prefixLength: number
}

/** Splits a network into its address and prefix length. Returns undefined if one of them is invalid. */
function splitCidr(text: string): CidrParts | undefined {
  if (typeof text !== 'string') return undefined
  const [addressText = '', prefixText = '', ...rest] = text.split('/', 3)
  const ip = parseIp(addressText)
  if (ip === undefined || rest.length > 0 || !/^0*\d{1,3}$/.test(prefixText)) return undefined
  const prefixLength = Number(prefixText)
  return prefixLength > hostPrefixLengthOf(familyOf(addressText)) ? undefined : { addressText, ip, prefixLength }
}

function maskedCidr(addressText: string, prefixLength: number): Cidr {
  const address = maskAddress(addressText, prefixLength)
  return { family: familyOf(address), text: `${address}/${prefixLength}`, address, prefixLength }
}

/** Returns the prefix length of a network that consists of one address. */
export function hostPrefixLengthOf(family: IpFamily): 32 | 128 {
  return family === 'IPv4' ? 32 : 128
}

/** Returns the network that consists of one canonical address: `10.0.0.1/32`, `fd00::1/128`. */
export function toHostPrefix(address: string): string {
  return `${address}/${hostPrefixLengthOf(familyOf(address))}`
}

/**
 * Removes the prefix of a network that consists of one address: `10.0.0.1` for `10.0.0.1/32`, `fd00::1` for
 * `fd00::1/128`. Returns any other text unchanged.
 */
export function withoutHostPrefix(network: string): string {
  const suffix = `/${hostPrefixLengthOf(familyOf(network))}`
  return network.endsWith(suffix) ? network.slice(0, -suffix.length) : network
}

/** Reports whether a network contains a canonical address; false for an address of the other family. */
export function cidrContains(cidr: Cidr, address: string): boolean {
  if (familyOf(address) !== cidr.family) return false
  const [words, network] = [parseAddressWords(address), parseAddressWords(cidr.address)]
  if (words === undefined || network === undefined) return false
  for (let index = 0; index < network.length; index++) {
    const differing = (words[index] ?? 0) ^ (network[index] ?? 0)
    if (differing & maskOfWord(cidr.prefixLength - index * 16)) return false
  }
  return true
}

function maskAddress(address: string, prefixLength: number): string {
  const words = parseAddressWords(address) ?? []
  return formatAddressWords(words.map((word, index) => word & maskOfWord(prefixLength - index * 16)))
}

/** Returns the mask of one 16-bit word; its first `bits` bits belong to the prefix. */
function maskOfWord(bits: number): number {
  const kept = Math.min(Math.max(bits, 0), 16)
  return (0xffff << (16 - kept)) & 0xffff
}
