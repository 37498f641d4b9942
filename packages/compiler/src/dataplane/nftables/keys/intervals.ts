import type { IpFamily } from '@kube-rules/types'
import { valueAt } from '../../../internal/known-items.js'
import { formatMark, parseNumber } from '../words.js'
import { addressBitLength, formatAddress, parseAddressNumber } from './address-numbers.js'

/** The values of a key: numbers from `first` to `last`. */
export interface Interval {
  readonly first: bigint
  readonly last: bigint
}

/** Converts values of a type, such as addresses and ports, to integers and back. */
interface Scale {
  readonly bits: number
  readonly read: (text: string) => bigint | undefined
  readonly print: (number: bigint) => string
  /** Whether nft prints an interval as a prefix if possible. */
  readonly hasPrefixes: boolean
}

function addressScale(family: IpFamily): Scale {
  return {
    bits: addressBitLength(family),
    read: (text) => {
      const address = parseAddressNumber(text)
      return address?.family === family ? address.number : undefined
    },
    print: (number) => formatAddress(number, family),
    hasPrefixes: true,
  }
}

function numberScale(bits: number, print: (number: bigint) => string, hasPrefixes: boolean): Scale {
  return {
    bits,
    read: (text) => {
      const number = parseNumber(text)
      return number === undefined || number >= 2 ** bits ? undefined : BigInt(number)
    },
    print,
    hasPrefixes,
  }
}

const SCALES: ReadonlyMap<string, Scale> = new Map([
  ['ipv4_addr', addressScale('IPv4')],
  ['ipv6_addr', addressScale('IPv6')],
  ['inet_service', numberScale(16, String, false)],
  ['mark', numberScale(32, (number) => formatMark(Number(number)), true)],
])

/** Reports whether values of this type are numbers that can form intervals. */
export function isNumericType(type: string): boolean {
  return SCALES.has(type)
}

/** Returns the interval of a key with one component; undefined if it cannot be determined. */
export function parseInterval(key: string, type: string): Interval | undefined {
  const scale = SCALES.get(type)
  if (scale === undefined) return undefined
  const slash = key.indexOf('/')
  if (slash >= 0) return prefixInterval(scale, scale.read(key.slice(0, slash)), key.slice(slash + 1))
  const dash = key.indexOf('-')
  const first = scale.read(dash < 0 ? key : key.slice(0, dash))
  const last = dash < 0 ? first : scale.read(key.slice(dash + 1))
  return first === undefined || last === undefined || first > last ? undefined : { first, last }
}

function prefixInterval(scale: Scale, address: bigint | undefined, length: string): Interval | undefined {
  if (address === undefined || !/^\d{1,3}$/.test(length) || Number(length) > scale.bits) return undefined
  const hostBits = BigInt(scale.bits - Number(length))
  const first = (address >> hostBits) << hostBits
  return { first, last: first + (1n << hostBits) - 1n }
}

/** Formats an interval as nft does: a value, a prefix, or a range. */
export function printInterval({ first, last }: Interval, type: string): string {
  const scale = valueAt(SCALES, type)
  if (first === last) return scale.print(first)
  const size = last - first + 1n
  const isPrefix = scale.hasPrefixes && (size & (size - 1n)) === 0n && first % size === 0n
  if (!isPrefix) return `${scale.print(first)}-${scale.print(last)}`
  return `${scale.print(first)}/${scale.bits - (size.toString(2).length - 1)}`
}

/** Reports whether a key is written as more than one value. */
export function isIntervalKey(key: string): boolean {
  return key.includes('/') || key.includes('-')
}

/** Sorts intervals, and merges those that overlap or touch. */
export function mergeIntervals(intervals: readonly Interval[]): readonly Interval[] {
  const merged: Interval[] = []
  for (const interval of sortIntervals(intervals)) {
    const before = merged.at(-1)
    if (before === undefined || interval.first > before.last + 1n) merged.push(interval)
    else if (interval.last > before.last) merged[merged.length - 1] = { first: before.first, last: interval.last }
  }
  return merged
}

function sortIntervals(intervals: readonly Interval[]): readonly Interval[] {
  return [...intervals].sort((left, right) => (left.first < right.first ? -1 : left.first > right.first ? 1 : 0))
}
