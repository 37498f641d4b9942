import type { IpFamily } from '@kube-rules/types'
import { hostPrefixLengthOf } from '@kube-rules/types/internal/cidr'
import { compareValues } from '../../../internal/compare-values.js'
import { valueAt } from '../../../internal/known-items.js'
import { formatMark, parseNumber } from '../words.js'
import { formatAddress, parseAddressNumber } from './address-numbers.js'

/** The values that a key represents: the numbers from `first` to `last`. */
export interface Interval {
  readonly first: bigint
  readonly last: bigint
}

/** Functions that convert values of a type, such as addresses and ports, to integers and back. */
interface NumericType {
  readonly bits: number
  readonly read: (text: string) => bigint | undefined
  readonly print: (number: bigint) => string
  /** Whether nft prints an interval as a prefix if possible. */
  readonly hasPrefixes: boolean
}

function createAddressType(family: IpFamily): NumericType {
  return {
    bits: hostPrefixLengthOf(family),
    read: (text) => {
      const address = parseAddressNumber(text)
      return address?.family === family ? address.number : undefined
    },
    print: (number) => formatAddress(number, family),
    hasPrefixes: true,
  }
}

function createIntegerType(bits: number, print: (number: bigint) => string, hasPrefixes: boolean): NumericType {
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

const NUMERIC_TYPES: ReadonlyMap<string, NumericType> = new Map([
  ['ipv4_addr', createAddressType('IPv4')],
  ['ipv6_addr', createAddressType('IPv6')],
  ['inet_service', createIntegerType(16, String, false)],
  ['mark', createIntegerType(32, (number) => formatMark(Number(number)), true)],
])

/** Reports whether values of this type are numbers that can form intervals. */
export function isNumericType(type: string): boolean {
  return NUMERIC_TYPES.has(type)
}

/** Returns the interval of a key with one component. Returns undefined if the interval cannot be determined. */
export function parseInterval(key: string, type: string): Interval | undefined {
  const numericType = NUMERIC_TYPES.get(type)
  if (numericType === undefined) return undefined
  const slash = key.indexOf('/')
  if (slash >= 0) return prefixInterval(numericType, numericType.read(key.slice(0, slash)), key.slice(slash + 1))
  const dash = key.indexOf('-')
  const first = numericType.read(dash < 0 ? key : key.slice(0, dash))
  const last = dash < 0 ? first : numericType.read(key.slice(dash + 1))
  return first === undefined || last === undefined || first > last ? undefined : { first, last }
}

function prefixInterval(numericType: NumericType, address: bigint | undefined, length: string): Interval | undefined {
  if (address === undefined || !/^\d{1,3}$/.test(length) || Number(length) > numericType.bits) return undefined
  const hostBits = BigInt(numericType.bits - Number(length))
  const first = (address >> hostBits) << hostBits
  return { first, last: first + (1n << hostBits) - 1n }
}

/** Formats an interval like nft: as a value, a prefix, or a range. */
export function printInterval({ first, last }: Interval, type: string): string {
  const numericType = valueAt(NUMERIC_TYPES, type)
  if (first === last) return numericType.print(first)
  const size = last - first + 1n
  const isPrefix = numericType.hasPrefixes && (size & (size - 1n)) === 0n && first % size === 0n
  if (!isPrefix) return `${numericType.print(first)}-${numericType.print(last)}`
  return `${numericType.print(first)}/${numericType.bits - (size.toString(2).length - 1)}`
}

/** Reports whether a key is written as an interval of values (a prefix or a range). */
export function isIntervalKey(key: string): boolean {
  return key.includes('/') || key.includes('-')
}

/** Sorts intervals, and merges intervals that overlap or touch. */
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
  return [...intervals].sort((left, right) => compareValues(left.first, right.first))
}
