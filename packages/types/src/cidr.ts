import { formatWords, readWords } from './address-words.js'
import { familyOf, type IpFamily, parseIp } from './ip.js'

/** A network: `text` is the masked canonical form, `10.1.2.3/8` reads as `10.0.0.0/8`. */
export interface Cidr {
  readonly family: IpFamily
  readonly text: string
  /** The network address, `10.0.0.0`. */
  readonly address: string
  readonly prefixLength: number
}

/**
 * The network `text` (`ADDRESS/PREFIX`) stands for, masked, or undefined when it is none (any other type included).
 *
 * Mirrors `ParseCIDRSloppy` of k8s.io/utils as kube-proxy v1.30 uses it: surplus leading zeros are tolerated. Unlike
 * there, an IPv4-mapped IPv6 network (`::ffff:1.2.3.0/120`) is refused, because Go prints it as `1.2.3.0/120`.
 */
export function parseCidr(text: string): Cidr | undefined {
  if (typeof text !== 'string') return undefined
  const [addressText = '', prefixText = '', ...rest] = text.split('/', 3)
  const ip = parseIp(addressText)
  if (ip === undefined || rest.length > 0 || !/^0*\d{1,3}$/.test(prefixText)) return undefined
  const prefixLength = Number(prefixText)
  if (ip.family !== familyOf(addressText) || prefixLength > hostPrefixLength(ip.family)) return undefined
  const address = maskAddress(ip.text, prefixLength)
  return { family: ip.family, text: `${address}/${prefixLength}`, address, prefixLength }
}

/** The prefix length of a network that is a single address. */
export function hostPrefixLength(family: IpFamily): 32 | 128 {
  return family === 'IPv4' ? 32 : 128
}

/** The network of a single canonical address: `10.0.0.1/32`, `fd00::1/128`. */
export function hostNetwork(address: string): string {
  return `${address}/${hostPrefixLength(familyOf(address))}`
}

/** `10.0.0.1` for `10.0.0.1/32`, `fd00::1` for `fd00::1/128`; any other text as it is. */
export function withoutHostPrefix(network: string): string {
  const suffix = `/${hostPrefixLength(familyOf(network))}`
  return network.endsWith(suffix) ? network.slice(0, -suffix.length) : network
}

/** Whether a canonical address lies in the network; false for an address of the other family. */
export function cidrContains(cidr: Cidr, address: string): boolean {
  if (familyOf(address) !== cidr.family) return false
  const [words, network] = [readWords(address), readWords(cidr.address)]
  if (words === undefined || network === undefined) return false
  for (let index = 0; index < network.length; index++) {
    const differing = (words[index] ?? 0) ^ (network[index] ?? 0)
    if (differing & maskOfWord(cidr.prefixLength - index * 16)) return false
  }
  return true
}

function maskAddress(address: string, prefixLength: number): string {
  const words = readWords(address) ?? []
  return formatWords(words.map((word, index) => word & maskOfWord(prefixLength - index * 16)))
}

/** The mask of one 16-bit word of which the first `bits` belong to the prefix. */
function maskOfWord(bits: number): number {
  const kept = Math.min(Math.max(bits, 0), 16)
  return (0xffff << (16 - kept)) & 0xffff
}
