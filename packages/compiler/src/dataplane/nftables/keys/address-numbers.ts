import type { IpFamily } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'

/** Returns the number of bits of an address. */
export function addressBitLength(family: IpFamily): number {
  return family === 'IPv4' ? 32 : 128
}

/** The range of IPv4-mapped addresses within IPv6. */
const MAPPED = 0xffffn << 32n

/**
 * Converts an address to a number. Returns undefined for text that is not an address in nft, such as an address with
 * leading zeros, which nft reads as octal.
 */
export function parseAddressNumber(text: string): { readonly family: IpFamily; readonly number: bigint } | undefined {
  const ip = parseIp(text)
  if (ip === undefined) return undefined
  if (ip.family === 'IPv4') {
    const number = numberOf(ip.text.split('.'), 8n, '')
    if (text.includes(':')) return { family: 'IPv6', number: MAPPED | number }
    return ip.text === text ? { family: 'IPv4', number } : undefined
  }
  const [head = '', tail] = ip.text.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = new Array<string>(8 - first.length - last.length).fill('0')
  return { family: 'IPv6', number: numberOf([...first, ...zeros, ...last], 16n, '0x') }
}

function numberOf(groups: readonly string[], bits: bigint, prefix: string): bigint {
  return groups.reduce((sum, group) => (sum << bits) | BigInt(prefix + group), 0n)
}

/** Converts a number to its address, in canonical notation. */
export function formatAddress(number: bigint, family: IpFamily): string {
  if (family === 'IPv4') return groupsOf(number, 4, 8n).join('.')
  if (number >> 32n === 0xffffn) return `::ffff:${formatAddress(number & 0xffffffffn, 'IPv4')}`
  const groups = groupsOf(number, 8, 16n).map((group) => group.toString(16))
  return parseIp(groups.join(':'))?.text ?? ''
}

function groupsOf(number: bigint, count: number, bits: bigint): number[] {
  const mask = (1n << bits) - 1n
  return Array.from({ length: count }, (_, index) => Number((number >> (BigInt(count - 1 - index) * bits)) & mask))
}

/** Returns the bytes of a number, most significant byte first. */
export function numberToBytes(number: bigint, length: number): number[] {
  return groupsOf(number, length, 8n)
}
