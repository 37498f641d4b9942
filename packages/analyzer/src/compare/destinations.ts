import { isUnspecified } from '@kube-rules/types/internal/ip'
import {
  type AddressRange,
  lastAddressOfFamily,
  numberToAddress,
  parseAddressRange,
  rangeContains,
} from '../program/address-range.js'
import type { ComparisonSides } from './comparison-side.js'

/** An address that represents all addresses that the rules do not distinguish from it. */
export interface Destination {
  readonly address: string
  /** The ports that rules match together with this address. */
  readonly ports: readonly string[]
  /** Whether the address represents only itself, because a rule mentions it or because it is an address of the node. */
  readonly isNamed: boolean
}

/**
 * Returns every address that rules mention, and one address per gap between networks that rules mention. The addresses
 * are in ascending order.
 */
export function collectDestinations({ family, a, b, addresses = [] }: ComparisonSides): readonly Destination[] {
  const named = new Map<bigint, Set<string>>()
  const cuts = new Set<bigint>([0n])
  const inRanges: PortInRange[] = []
  const own = [...addresses, ...SPECIAL[family]].map((address) => ({ address, port: undefined }))
  for (const places of [a.destinations, b.destinations, own]) {
    for (const { address, port } of places) {
      const range = parseAddressRange(address, family)
      if (range === undefined) continue
      if (range.first === range.last) portsOf(named, range.first, port)
      else addCuts(cuts, range)
      if (range.first !== range.last && port !== undefined) inRanges.push({ range, port })
    }
  }
  const portsInRanges = (number: bigint) =>
    inRanges.flatMap(({ range, port }) => (rangeContains(range, number) ? port : []))
  const sorted = [...named].sort(([x], [y]) => (x < y ? -1 : 1))
  const exact = sorted.map(([number, ports]) => ({
    address: numberToAddress(number, family),
    ports: [...new Set([...ports, ...portsInRanges(number)])],
    isNamed: true,
  }))
  const others = stretches(cuts, lastAddressOfFamily(family)).flatMap((range) => {
    const free = firstFree(range, named)
    return free === undefined
      ? []
      : { address: numberToAddress(free, family), ports: portsInRanges(free), isNamed: false }
  })
  return [...exact, ...others].filter(({ address }) => !isUnspecified(address))
}

/** A port that rules match together with a range of addresses. */
interface PortInRange {
  readonly range: AddressRange
  readonly port: string
}

/**
 * The first addresses of networks that the kernel handles specially: loopback, multicast, and all addresses above
 * multicast.
 */
const SPECIAL = { IPv4: ['127.0.0.0/8', '127.0.0.1', '224.0.0.0/4'], IPv6: ['::1', 'ff00::/8'] } as const

function portsOf(named: Map<bigint, Set<string>>, number: bigint, port: string | undefined): void {
  const existing = named.get(number) ?? new Set()
  named.set(number, existing)
  if (port !== undefined) existing.add(port)
}

function addCuts(cuts: Set<bigint>, { first, last }: AddressRange): void {
  cuts.add(first)
  cuts.add(last + 1n)
}

function stretches(cuts: ReadonlySet<bigint>, end: bigint): readonly AddressRange[] {
  const sorted = [...cuts].filter((cut) => cut <= end).sort((a, b) => (a < b ? -1 : 1))
  return sorted.map((first, index) => ({ first, last: (sorted[index + 1] ?? end + 1n) - 1n }))
}

function firstFree({ first, last }: AddressRange, taken: ReadonlyMap<bigint, unknown>): bigint | undefined {
  for (let number = first === 0n ? 1n : first; number <= last; number++) if (!taken.has(number)) return number
  return undefined
}
