import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import { type Elements, joinKey, splitKey } from './elements.js'
import { isClientLookup, rangesWith, valueOfField } from './find-element.js'
import type { KernelPacket } from './kernel-packet.js'
import type { Condition, Field, Literal } from './program.js'
import type { ReadSet } from './read-set.js'

/** The timeout of clients in a list without a timeout, in seconds. */
const FOR_EVER = Number.MAX_SAFE_INTEGER / 1000

/** Records in a read set what a literal compares with original fields of the packet. */
export function recordReads(literal: Literal, packet: KernelPacket, hook: Hook, reads: ReadSet): void {
  switch (literal.kind) {
    case 'address':
      if (literal.side === 'source') for (const { text } of literal.operands) reads.sources.add(text)
      return
    case 'port':
      if (literal.side === 'destination' && isOriginalPort(packet))
        for (const { first, last } of literal.ranges) reads.ports.add(`${first}-${last}`)
      return
    case 'interface':
      if (literal.direction === 'in' && hook !== 'OUTPUT' && packet.inInterface !== '')
        reads.interfaces.add(literal.name)
      return
    case 'addressType':
      if (literal.side === 'source') reads.localSources = true
      return
    case 'bridged':
      reads.bridged = true
      return
    case 'seen':
      recordClients(reads, literal.list, literal.seconds)
      return
    case 'lookup':
      recordLookup(literal, packet, reads)
      return
    case 'all':
      for (const each of literal.literals) recordReads(each, packet, hook, reads)
      return
    case 'protocol':
    case 'mark':
    case 'localAddress':
    case 'state':
    case 'sentByNode':
    case 'virtualServer':
    case 'chance':
    case 'always':
    case 'unknown':
      return
    default:
      // A new kind of condition is a type error here.
      literal satisfies never
  }
}

/** Records that session-affinity entries of a list were read. */
export function recordClients(reads: ReadSet, list: string, seconds: number): void {
  reads.clients.set(list, Math.max(seconds, reads.clients.get(list) ?? 0))
}

/** Records that the outcome may depend on the destination port through comparisons that the read set does not contain. */
export function recordTranslation(reads: ReadSet | undefined): void {
  if (reads?.portLookups !== undefined) reads.portLookups.areComplete = false
}

/** Reports whether the packet still has its original destination port. */
export function isOriginalPort({ translatedBy }: KernelPacket): boolean {
  return translatedBy === undefined
}

/** Records the lookup of fields in a set. */
export function recordLookup(
  { fields, elements }: Pick<Condition & { readonly kind: 'lookup' }, 'fields' | 'elements'>,
  packet: KernelPacket,
  reads: ReadSet,
): void {
  const set = elements()
  if (set === undefined) return
  if (set.clientSeconds !== undefined && isClientLookup(fields))
    recordClients(reads, set.name, Math.min(set.clientSeconds, FOR_EVER))
  const hasDestination = fields.includes('destination')
  fields.forEach((field, place) => {
    if (field === 'source') for (const text of componentsOf(set, fields, place, packet)) reads.sources.add(text)
    if (field !== 'destinationPort' || hasDestination || !isOriginalPort(packet)) return
    if (fields.length === 1 && set.ranges.length === 0) recordPortSet(reads, portsOf(set))
    else for (const text of componentsOf(set, fields, place, packet)) reads.ports.add(text)
  })
}

function recordPortSet(reads: ReadSet, ports: ReadonlySet<number>): void {
  if (reads.portLookups !== undefined) reads.portLookups.sets.add(ports)
  else for (const port of ports) reads.ports.add(String(port))
}

const PORT_SETS = new WeakMap<Elements['exact'], ReadonlySet<number>>()

function portsOf(set: Elements): ReadonlySet<number> {
  const existing = PORT_SETS.get(set.exact)
  if (existing !== undefined) return existing
  const ports = new Set(Array.from(set.exact.keys(), Number))
  PORT_SETS.set(set.exact, ports)
  return ports
}

/**
 * Returns the components at the position `place` that a lookup compares with a packet: those of elements that have the
 * values of the packet in all other components.
 */
function componentsOf(set: Elements, fields: readonly Field[], place: number, packet: KernelPacket): readonly string[] {
  const isPort = fields[place] === 'destinationPort'
  // A port is read for every source: that of the packet may be one that no rule was known to distinguish so far.
  const isAny = (field: Field, at: number) => at === place || (isPort && field === 'source')
  const values = fields.map((field, at) => (isAny(field, at) ? undefined : valueOfField(field, packet)))
  const others = values.filter((_, at) => at !== place)
  const byOthers = componentsByOthers(set, place)
  const isKnown = others.every((value) => value !== undefined)
  const exact = isKnown ? (byOthers.get(joinKey(others)) ?? []) : [...byOthers.values()].flat()
  const ranges = rangesWith(set.ranges, fields, values, packet)
  return [...exact, ...ranges.map(({ components }) => components[place]?.text ?? '')]
}

const COMPONENTS = new WeakMap<Elements['exact'], Map<number, ReadonlyMap<string, readonly string[]>>>()

/** Returns the components at the position `place` of exact keys, grouped by the remaining components of the key. */
function componentsByOthers(set: Elements, place: number): ReadonlyMap<string, readonly string[]> {
  const byPlace = COMPONENTS.get(set.exact) ?? new Map<number, ReadonlyMap<string, readonly string[]>>()
  COMPONENTS.set(set.exact, byPlace)
  const existing = byPlace.get(place)
  if (existing !== undefined) return existing
  const byOthers = new Map<string, string[]>()
  for (const key of set.exact.keys()) {
    const parts = splitKey(key)
    const others = joinKey(parts.filter((_, at) => at !== place))
    const siblings = byOthers.get(others)
    if (siblings === undefined) byOthers.set(others, [parts[place] ?? ''])
    else siblings.push(parts[place] ?? '')
  }
  byPlace.set(place, byOthers)
  return byOthers
}
