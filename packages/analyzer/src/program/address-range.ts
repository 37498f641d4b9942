import type { IpFamily } from '@kube-rules/types'
import { type IpAddress, parseIp } from '@kube-rules/types/internal/ip'

/** A range of addresses or ports as numbers, inclusive. */
export interface AddressRange {
  readonly first: bigint
  readonly last: bigint
}

/** Parses an address, a network (`10.0.0.0/8`) or a range (`10.0.0.1-10.0.0.9`); undefined for any other string. */
export function parseAddressRange(text: string, family: IpFamily): AddressRange | undefined {
  const dash = text.indexOf('-')
  if (dash >= 0)
    return between(addressToNumber(text.slice(0, dash), family), addressToNumber(text.slice(dash + 1), family))
  const [address = '', length] = text.split('/')
  const number = addressToNumber(address, family)
  if (length === undefined || number === undefined) return between(number, number)
  const hostBits = BigInt((family === 'IPv4' ? 32 : 128) - Number(length))
  const first = (number >> hostBits) << hostBits
  return { first, last: first + (1n << hostBits) - 1n }
}

function between(first: bigint | undefined, last: bigint | undefined): AddressRange | undefined {
  return first === undefined || last === undefined ? undefined : { first, last }
}

/** Converts an address of the given family to its number. */
export function addressToNumber(text: string, family: IpFamily): bigint | undefined {
  const ip = parseIp(text)
  if (ip === undefined || ip.family !== family) return undefined
  if (family === 'IPv4') return BigInt(ip.text.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0))
  const [head, tail] = `${ip.text}::`.split('::') as [string, string]
  const before = groupsOf(head)
  const behind = groupsOf(tail)
  const zeros = new Array<string>(8 - before.length - behind.length).fill('0')
  return [...before, ...zeros, ...behind].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
}

function groupsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(':')
}

/** Converts a number to its address, in canonical notation. */
export function numberToAddress(number: bigint, family: IpFamily): string {
  if (family === 'IPv4') {
    const word = Number(number)
    return [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255].join('.')
  }
  const parts = Array.from({ length: 8 }, (_, index) => BigInt.asUintN(16, number >> BigInt(16 * (7 - index))))
  return (parseIp(parts.map((part) => part.toString(16)).join(':')) as IpAddress).text
}

/** Returns the highest address of a family, as a number. */
export function lastAddressOfFamily(family: IpFamily): bigint {
  return (1n << (family === 'IPv4' ? 32n : 128n)) - 1n
}

export function rangeContains({ first, last }: AddressRange, number: bigint): boolean {
  return number >= first && number <= last
}

/** Creates a memoized `parseAddressRange`. */
export function createAddressRangeParser(family: IpFamily): (text: string) => AddressRange | undefined {
  const known = new Map<string, AddressRange | undefined>()
  return (text) => {
    if (!known.has(text)) known.set(text, parseAddressRange(text, family))
    return known.get(text)
  }
}

/** An address, network or range that a rule compares an address with. */
export interface AddressOperand {
  /** The text in canonical notation: `10.96.0.10`, `10.0.0.0/8`, `10.0.0.1-10.0.0.9`. */
  readonly text: string
  /** The addresses; absent for a single address, which is compared as text. */
  readonly range?: AddressRange | undefined
}

/** Reads an address, a network or a range in canonical notation. Undefined for any other text. */
export function readAddressOperand(text: string, family: IpFamily): AddressOperand | undefined {
  const single = parseIp(text)
  if (single?.family === family) return { text: single.text }
  const range = parseAddressRange(text, family)
  if (range === undefined) return undefined
  return range.first === range.last ? { text: numberToAddress(range.first, family) } : { text, range }
}
