import { parseNumber } from '@kube-rules/compiler/internal/dataplane/nftables/words'
import type { ComparisonOperator } from './clause.js'

/** For each type of values, its names with their numbers or bits. */
const NAMES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  tcp_flag: { fin: 0x01, syn: 0x02, rst: 0x04, psh: 0x08, ack: 0x10, urg: 0x20, ecn: 0x40, cwr: 0x80 },
  ct_state: { invalid: 0x01, established: 0x02, related: 0x04, new: 0x08, untracked: 0x40 },
  ct_status: {
    expected: 0x001,
    'seen-reply': 0x002,
    assured: 0x004,
    confirmed: 0x008,
    snat: 0x010,
    dnat: 0x020,
    dying: 0x200,
  },
  ct_dir: { original: 0, reply: 1 },
  pkt_type: { host: 0, unicast: 0, broadcast: 1, multicast: 2, other: 3 },
  boolean: { missing: 0, exists: 1 },
  nf_proto: { ipv4: 2, ipv6: 10 },
  ether_type: { ip: 0x0800, ip6: 0x86dd, arp: 0x0806, vlan: 0x8100 },
}

/** Numbers, inclusive. */
export interface NumberRange {
  readonly first: number
  readonly last: number
}

/** Parses a number or a name of a type, or several of them joined with `|` or `,`. Undefined for any other text. */
export function parseTypedNumber(text: string, type: string): number | undefined {
  const names = Object.hasOwn(NAMES, type) ? NAMES[type] : undefined
  let sum = 0
  for (const part of text.split(/[|,]/)) {
    const word = part.trim()
    const number = names !== undefined && Object.hasOwn(names, word) ? names[word] : parseNumber(word)
    if (number === undefined) return undefined
    sum = (sum | number) >>> 0
  }
  return sum
}

/** Parses a number, a range (`1-5`) or, for marks, the first bits (`0x80000000/1`). Undefined for any other text. */
export function parseNumberRange(text: string, type: string): NumberRange | undefined {
  const number = parseTypedNumber(text, type)
  if (number !== undefined) return { first: number, last: number }
  const [value = '', length] = text.split('/')
  if (length !== undefined) return type === 'mark' ? parseBitPrefix(value, length) : undefined
  const dash = text.indexOf('-', 1)
  const first = parseTypedNumber(text.slice(0, dash), type)
  const last = parseTypedNumber(text.slice(dash + 1), type)
  return dash < 0 || first === undefined || last === undefined || first > last ? undefined : { first, last }
}

function parseBitPrefix(value: string, length: string): NumberRange | undefined {
  const number = parseNumber(value)
  if (number === undefined || !/^\d{1,2}$/.test(length) || Number(length) > 32) return undefined
  const size = 2 ** (32 - Number(length))
  const first = Math.floor(number / size) * size
  return { first, last: first + size - 1 }
}

/** The numbers up to `highest` that satisfy an order. */
const RANGES_OF_ORDERS: ReadonlyMap<ComparisonOperator, (number: number, highest: number) => NumberRange> = new Map([
  ['<', (number) => ({ first: 0, last: number - 1 })],
  ['<=', (number) => ({ first: 0, last: number })],
  ['>', (number, highest) => ({ first: number + 1, last: highest })],
  ['>=', (number, highest) => ({ first: number, last: highest })],
])

/** Returns the numbers up to `highest` that are compared: those that satisfy an order, or all of the ranges. */
export function rangesOfOperator(
  operator: ComparisonOperator,
  ranges: readonly NumberRange[],
  highest: number,
): readonly NumberRange[] {
  const rangeOf = RANGES_OF_ORDERS.get(operator)
  if (rangeOf === undefined) return ranges
  return ranges.map(({ first }) => rangeOf(first, highest)).filter(({ first, last }) => first <= last)
}
