import { type IpFamily, isLoopback, isMulticast, isUnspecified } from '@kube-rules/types'
import { addressOf, addressRange, holds, lastOf, type NumberRange, numberOf } from './address-range.js'
import type { Sides } from './side.js'

/** How a packet comes to the rules. */
export interface Arrival {
  readonly origin: 'node' | 'pod' | 'outside'
  readonly inInterface?: string | undefined
}

/** A source, with its number. */
export interface Source {
  readonly address: string
  readonly number: bigint
}

/** What is known so far of how sources are told apart. */
export interface SourceQuestions {
  readonly ranges: readonly NumberRange[]
  readonly locals: boolean
}

/** Addresses for documentation first: of no real network. */
const SOMEWHERE: Readonly<Record<IpFamily, readonly string[]>> = {
  IPv4: ['198.51.100.7', '1.0.0.0', '127.0.0.1', '128.0.0.0', '240.0.0.0'],
  IPv6: ['2001:db8:ffff::7', '::2', '::1', 'fe80::'],
}

/** Sources among which there is one of every class that packets of an arrival may have. */
export function candidateSources(
  { family, addresses }: Sides,
  { ranges, locals }: SourceQuestions,
  { bound, destination }: { readonly bound: readonly bigint[]; readonly destination: string },
  isPossible: (source: Source) => boolean,
): readonly Source[] {
  const specials = [...SOMEWHERE[family], ...(addresses ?? []), destination].flatMap(
    (each) => numberOf(each, family) ?? [],
  )
  const cuts = new Set(specials)
  for (const number of specials) cuts.add(number + 1n)
  for (const { first, last } of ranges) cuts.add(first).add(last + 1n)
  if (locals) for (const cut of [...cuts]) addNeighbours(cuts, bound, cut)
  const end = lastOf(family)
  return Array.from(cuts)
    .filter((number) => number <= end)
    .map((number) => ({ address: addressOf(number, family), number }))
    .filter(({ address }) => !isMulticast(address) && !isUnspecified(address))
    .filter(isPossible)
}

/** The next address that is one of these, and the next that is none. */
function addNeighbours(cuts: Set<bigint>, bound: readonly bigint[], from: bigint): void {
  let index = bound.findIndex((number) => number >= from)
  if (index < 0) return
  cuts.add(bound[index] as bigint)
  let free = from
  while (bound[index] === free) {
    free++
    index++
  }
  cuts.add(free)
}

/** What sources of one class share. */
export function sourceClass({ a, b }: Sides, { ranges, locals }: SourceQuestions): (source: Source) => string {
  return ({ address, number }) => {
    const held = ranges.flatMap((range, index) => (holds(range, number) ? index : []))
    return locals ? `${held} ${a.isLocal(address)} ${b.isLocal(address)}` : String(held)
  }
}

/** The ranges that texts stand for, each once. */
export function rangesOf(texts: Iterable<string>, family: IpFamily): readonly NumberRange[] {
  const ranges = new Map<string, NumberRange>()
  for (const text of texts) {
    const range = addressRange(text, family)
    if (range !== undefined) ranges.set(`${range.first}-${range.last}`, range)
  }
  return [...ranges.values()]
}

/** Whether a packet of an arrival may have a source: the node sends from its own addresses, others from theirs. */
export function isPossibleSource({ a, b, addresses }: Sides, { origin }: Arrival): (source: Source) => boolean {
  if (origin !== 'node') return ({ address }) => !isLoopback(address) && addresses?.includes(address) !== true
  const isLocal = (address: string) => a.isLocal(address) !== 'no' || b.isLocal(address) !== 'no'
  return ({ address }) => isLocal(address)
}
