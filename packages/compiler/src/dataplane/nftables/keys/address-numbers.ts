import type { IpFamily } from '@kube-rules/types'
import { formatAddressWords, isCanonicalIpv4, parseAddressWords } from '@kube-rules/types/internal/address-words'

/**
 * Converts an address to a number. Returns undefined for text that is not an address in nft, such as an address with
 * leading zeros, which nft reads as octal.
 */
export function parseAddressNumber(text: string): { readonly family: IpFamily; readonly number: bigint } | undefined {
  const words = parseAddressWords(text)
  if (words === undefined || (words.length === 2 && !isCanonicalIpv4(text))) return undefined
  const number = words.reduce((sum, word) => (sum << 16n) | BigInt(word), 0n)
  return { family: words.length === 2 ? 'IPv4' : 'IPv6', number }
}

/** Converts a number to its address, in canonical notation. */
export function formatAddress(number: bigint, family: IpFamily): string {
  if (number >> 32n === 0xffffn) return `::ffff:${formatAddress(number & 0xffffffffn, 'IPv4')}`
  return formatAddressWords(groupsOf(number, family === 'IPv4' ? 2 : 8, 16n))
}

function groupsOf(number: bigint, count: number, bits: bigint): number[] {
  const mask = (1n << bits) - 1n
  return Array.from({ length: count }, (_, index) => Number((number >> (BigInt(count - 1 - index) * bits)) & mask))
}

/** Returns the bytes of a number, most significant byte first. */
export function numberToBytes(number: bigint, length: number): number[] {
  return groupsOf(number, length, 8n)
}
