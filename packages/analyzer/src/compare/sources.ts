import type { IpFamily } from '@kube-rules/types'
import { addressOf, holds, lastOf, type NumberRange, numberOf } from './address-range.js'
import type { Sides } from './side.js'

/** How a packet comes to the rules. */
export interface Arrival {
  readonly origin: 'node' | 'pod' | 'outside'
  readonly inInterface?: string | undefined
}

/** What is known so far of how sources are told apart. */
export interface SourceQuestions {
  readonly ranges: readonly NumberRange[]
  /** Whether it makes a difference that an address is the node's own. */
  readonly locals: boolean
}

/** What sources there may be. */
export interface SourceFacts {
  readonly sides: Sides
  readonly arrival: Arrival
  readonly destination: string
  readonly bound: BoundAddresses
}

/** Addresses that a language says are the node's. */
export interface BoundAddresses {
  readonly has: (number: bigint) => boolean
  /** From the lowest to the highest. */
  readonly sorted: () => readonly bigint[]
}

/** Addresses for documentation first: of no real network. Then the first ones behind what the kernel treats in its own way. */
const SOMEWHERE: Readonly<Record<IpFamily, readonly string[]>> = {
  IPv4: ['198.51.100.7', '1.0.0.0', '127.0.0.1', '128.0.0.0', '240.0.0.0'],
  IPv6: ['2001:db8:ffff::7', '::2', '::1', 'fe80::'],
}

const LOOPBACK: Readonly<Record<IpFamily, string>> = { IPv4: '127.0.0.0/8', IPv6: '::1' }
const MULTICAST: Readonly<Record<IpFamily, string>> = { IPv4: '224.0.0.0/4', IPv6: 'ff00::/8' }

/** The numbers of sources among which there is one of every class. */
export function candidateSources(facts: SourceFacts, { ranges, locals }: SourceQuestions): readonly bigint[] {
  const { sides, destination, bound } = facts
  const { family, addresses = [] } = sides
  const cuts = new Set<bigint>()
  for (const address of SOMEWHERE[family]) addCut(cuts, numberOf(address, family))
  for (const address of [...addresses, destination]) {
    const number = numberOf(address, family)
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

/** The next address that is one of these, and the next that is none. */
function addNeighbours(cuts: Set<bigint>, { sorted }: BoundAddresses, from: bigint): void {
  const numbers = sorted()
  let at = placeOf(numbers, from)
  addCut(cuts, numbers[at])
  let free = from
  while (numbers[at++] === free) free++
  cuts.add(free)
}

/** The place of the first that is not lower. */
function placeOf(sorted: readonly bigint[], number: bigint): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as bigint) < number) low = middle + 1
    else high = middle
  }
  return low
}

/** What sources of one class share. */
export function sourceClass({ a, b, family }: Sides, { ranges, locals }: SourceQuestions): (source: bigint) => string {
  return (number) => {
    let held = ''
    for (let index = 0; index < ranges.length; index++)
      if (holds(ranges[index] as NumberRange, number)) held += ` ${index}`
    if (!locals) return held
    const address = addressOf(number, family)
    return `${held} ${a.isLocal(address)} ${b.isLocal(address)}`
  }
}

/** Whether a packet of an arrival may have a source: the node sends from its own addresses, others from theirs. */
function isPossibleSource({ sides, arrival, bound }: SourceFacts): (number: bigint) => boolean {
  const { family, addresses, rangeOf } = sides
  const own = new Set((addresses ?? []).map((address) => numberOf(address, family)))
  const [loopback, multicast] = [rangeOf(LOOPBACK[family]), rangeOf(MULTICAST[family])]
  const isIn = (range: NumberRange | undefined, number: bigint) => range !== undefined && holds(range, number)
  const isAddress = (number: bigint) => number > 0n && number <= lastOf(family) && !isIn(multicast, number)
  if (arrival.origin !== 'node') return (number) => isAddress(number) && !isIn(loopback, number) && !own.has(number)
  const isOwn = (number: bigint) => addresses === undefined || own.has(number) || bound.has(number)
  return (number) => isAddress(number) && (isIn(loopback, number) || isOwn(number))
}
