import { groupItems } from '@kube-rules/compiler/internal/internal/group-items'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import type { IpFamily } from '@kube-rules/types'
import { isLoopback } from '@kube-rules/types/internal/ip'
import {
  type AddressRange,
  addressToNumber,
  lastAddressOfFamily,
  numberToAddress,
  rangeContains,
} from '../program/address-range.js'
import type { PacketArrival } from './arrivals.js'
import type { ComparisonSides } from './comparison-side.js'

/** The known criteria that distinguish sources. */
export interface SourceCriteria {
  readonly ranges: readonly AddressRange[]
  /** Whether rules distinguish local source addresses. */
  readonly locals: boolean
}

/** Facts that determine the possible sources. */
export interface SourceCandidateContext {
  readonly sides: ComparisonSides
  readonly arrival: PacketArrival
  readonly destination: string
  readonly bound: BoundAddresses
}

/** Addresses that a subsystem declares as local (`kube-ipvs0`). */
export interface BoundAddresses {
  readonly has: (number: bigint) => boolean
  /** The addresses in ascending order. */
  readonly sorted: () => readonly bigint[]
  /** The addresses that are local on one side only, on the other side only, and on both, each in ascending order. */
  readonly sortedBySides: () => readonly (readonly bigint[])[]
}

/**
 * Returns the local addresses that a subsystem declares in addition to the addresses of the node, such as those of
 * `kube-ipvs0`.
 */
export function findBoundAddresses({ a, b, family, addresses = [] }: ComparisonSides): BoundAddresses {
  const own = new Set(addresses)
  const isBound = (address: string) =>
    !own.has(address) && !isLoopback(address) && [a, b].some(({ isLocal }) => isLocal(address) === 'yes')
  // The addresses are collected lazily: most compared rulesets do not match on local addresses, and there may be many.
  const sorted = createLazyGetter(() => {
    const named = new Set([...a.destinations, ...b.destinations].map(({ address }) => address))
    const numbers = Array.from(named).flatMap((address) =>
      isBound(address) ? (addressToNumber(address, family) ?? []) : [],
    )
    return numbers.sort((x, y) => (x < y ? -1 : 1))
  })
  const sidesOf = (number: bigint) => [a, b].map(({ isLocal }) => isLocal(numberToAddress(number, family))).join()
  return {
    has: (number) => isBound(numberToAddress(number, family)),
    sorted,
    sortedBySides: createLazyGetter(() => [...groupItems(sorted(), sidesOf).values()]),
  }
}

/**
 * Candidates for a source that no rule mentions. Documentation addresses, which belong to no real network, come first.
 * The first addresses after ranges that the kernel handles specially follow.
 */
const UNMENTIONED_SOURCES: Readonly<Record<IpFamily, readonly string[]>> = {
  IPv4: ['198.51.100.7', '1.0.0.0', '127.0.0.1', '128.0.0.0', '240.0.0.0'],
  IPv6: ['2001:db8:ffff::7', '::2', '::1', 'fe80::'],
}

const LOOPBACK: Readonly<Record<IpFamily, string>> = { IPv4: '127.0.0.0/8', IPv6: '::1' }
const MULTICAST: Readonly<Record<IpFamily, string>> = { IPv4: '224.0.0.0/4', IPv6: 'ff00::/8' }

/** Returns source addresses as numbers. The result has at least one address of every class. */
export function listCandidateSources(
  facts: SourceCandidateContext,
  { ranges, locals }: SourceCriteria,
): readonly bigint[] {
  const { sides, destination, bound } = facts
  const { family, addresses = [], rangeOf } = sides
  const cuts = new Set<bigint>()
  for (const address of UNMENTIONED_SOURCES[family]) addCut(cuts, rangeOf(address)?.first)
  for (const address of [...addresses, destination]) {
    const number = addressToNumber(address, family)
    addCut(cuts, number)
    if (number !== undefined) cuts.add(number + 1n)
  }
  for (const { first, last } of ranges) cuts.add(first).add(last + 1n)
  if (locals) for (const cut of [...cuts]) addNeighbours(cuts, bound, cut)
  return [...cuts].filter(isPossibleSource(facts))
}

function addCut(cuts: Set<bigint>, number: bigint | undefined): void {
  if (number !== undefined) cuts.add(number)
}

/**
 * Adds addresses at or above `from`: the first ones that are local on one side, on the other side, and on both, and the
 * first one that no subsystem declares as local.
 */
function addNeighbours(cuts: Set<bigint>, { sorted, sortedBySides }: BoundAddresses, from: bigint): void {
  for (const group of sortedBySides()) addCut(cuts, group[placeOf(group, from)])
  const numbers = sorted()
  let at = placeOf(numbers, from)
  let free = from
  while (numbers[at++] === free) free++
  cuts.add(free)
}

/** Returns the index of the first number that is not lower than `number`. */
function placeOf(sorted: readonly bigint[], number: bigint): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (elementAt(sorted, middle) < number) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns a function from a source to the key of its class. */
export function createSourceClassifier(
  { a, b, family }: ComparisonSides,
  { ranges, locals }: SourceCriteria,
): (source: bigint) => string {
  return (number) => {
    let matching = ''
    for (let index = 0; index < ranges.length; index++)
      if (rangeContains(elementAt(ranges, index), number)) matching += ` ${index}`
    if (!locals) return matching
    const address = numberToAddress(number, family)
    return `${matching} ${a.isLocal(address)} ${b.isLocal(address)}`
  }
}

/**
 * Returns a predicate that reports whether an arrival can have a source. The node sends from local addresses. Pods and
 * external clients send from all other addresses.
 */
function isPossibleSource({ sides, arrival, bound }: SourceCandidateContext): (number: bigint) => boolean {
  const { family, addresses, rangeOf } = sides
  const own = new Set((addresses ?? []).map((address) => addressToNumber(address, family)))
  const [loopback, multicast] = [rangeOf(LOOPBACK[family]), rangeOf(MULTICAST[family])]
  const isIn = (range: AddressRange | undefined, number: bigint) => range !== undefined && rangeContains(range, number)
  const isAddress = (number: bigint) => number > 0n && number <= lastAddressOfFamily(family) && !isIn(multicast, number)
  if (arrival.origin !== 'node') return (number) => isAddress(number) && !isIn(loopback, number) && !own.has(number)
  const isOwn = (number: bigint) => addresses === undefined || own.has(number) || bound.has(number)
  return (number) => isAddress(number) && (isIn(loopback, number) || isOwn(number))
}
