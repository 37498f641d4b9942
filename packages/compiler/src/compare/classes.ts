import { isLoopback, type Packet, type Protocol } from '@kube-rules/types'
import { type Alike, alikeSources } from '../dataplane/netfilter/alike.js'
import { type Asked, nothingAsked } from '../dataplane/netfilter/asked.js'
import type { Way } from '../trace/trace.js'
import { holds, type NumberRange } from './address-range.js'
import { cover } from './cover.js'
import type { Destination } from './destinations.js'
import { sourcesThatDiffer } from './shared-likeness.js'
import type { Side, Sides } from './side.js'
import { type Arrival, candidateSources, isPossibleSource, rangesOf, type Source, sourceClass } from './sources.js'

/** Packets that both sides treat alike, by one of them. */
export interface PacketClass {
  readonly packet: Packet
  /** The narrowest network or address that rules hold the source against; undefined where it is in none. */
  readonly sourceIn: string | undefined
  /** Whether the destination stands for others that rules do not name either. */
  readonly isOtherAddress: boolean
  /** Whether rules hold the destination port against none that has it. */
  readonly isOtherPort: boolean
  readonly a: SideOfClass
  readonly b: SideOfClass
}

export interface SideOfClass {
  readonly ways: readonly Way[]
  /** For how many seconds clients are remembered at most; undefined where they are not. */
  readonly remembers: number | undefined
}

/** Told of every class; undefined for one that both sides surely treat alike. */
type Report = (found: PacketClass | undefined) => void

const PROTOCOLS: readonly Protocol[] = ['TCP', 'UDP', 'SCTP']

/** Every class of packets to a destination. What tells them apart is what rules ask of one of them. */
export function classesTo(sides: Sides, destination: Destination, bound: readonly bigint[], report: Report): void {
  for (const protocol of PROTOCOLS) {
    const ports = new Set(destination.ports)
    cover(
      () => portCandidates(portRanges(ports)),
      () => portClass(portRanges(ports)),
      (found) => {
        for (const port of found) classesAt(sides, { destination, protocol, port, ports, bound }, report)
      },
    )
  }
}

interface At {
  readonly destination: Destination
  readonly protocol: Protocol
  readonly port: number
  /** Those that rules are known to tell apart: more of them may be found on the way. */
  readonly ports: Set<string>
  readonly bound: readonly bigint[]
}

function classesAt(sides: Sides, at: At, report: Report): void {
  const asked = { a: nothingAsked(), b: nothingAsked() }
  const interfaces = () => new Set([...asked.a.interfaces, ...asked.b.interfaces])
  cover(
    () => arrivals(at.destination, interfaces(), asked.a.bridged || asked.b.bridged),
    () => arrivalClass(interfaces(), asked.a.bridged || asked.b.bridged),
    (found) => {
      for (const arrival of found) classesFrom(sides, at, arrival, asked, report)
    },
  )
}

interface AskedOfBoth {
  readonly a: Asked
  readonly b: Asked
}

function classesFrom(sides: Sides, at: At, arrival: Arrival, asked: AskedOfBoth, report: Report): void {
  const isPossible = isPossibleSource(sides, arrival)
  const texts = () => new Set([...asked.a.sources, ...asked.b.sources])
  const questions = () => ({
    ranges: rangesOf(texts(), sides.family),
    locals: asked.a.localSources || asked.b.localSources,
  })
  const found: FoundSource[] = []
  const ids = new Map<string, number>()
  cover(
    () => candidateSources(sides, questions(), { bound: at.bound, destination: at.destination.address }, isPossible),
    () => sourceClass(sides, questions()),
    (sources) => {
      const alike = alikeSources(
        sources.map(({ address }) => address),
        ids,
      )
      const differing = differingSources(sides, packetOf(at, arrival, sources[0] as Source), alike, asked)
      for (const source of sources)
        found.push({ source, differs: differing === undefined || differing.has(source.address) })
      for (const each of [asked.a, asked.b]) for (const port of each.ports) at.ports.add(port)
    },
  )
  for (const { source, differs } of found) {
    if (differs) report(classOf(sides, at, packetOf(at, arrival, source), { source, asked, texts: [...texts()] }))
    else report(undefined)
  }
}

interface FoundSource {
  readonly source: Source
  /** Whether it is one of those that have to be looked at by themselves. */
  readonly differs: boolean
}

/** Those of whose packets the two sides may make something else; undefined where that cannot be said of all at once. */
function differingSources(
  { a, b }: Sides,
  packet: Packet,
  alike: Alike,
  asked: AskedOfBoth,
): ReadonlySet<string> | undefined {
  for (const each of [asked.a, asked.b]) each.clients.clear()
  const ends = [a.traceShared(packet, alike, asked.a), b.traceShared(packet, alike, asked.b)] as const
  return secondsOf(asked.a) === secondsOf(asked.b) ? sourcesThatDiffer(...ends) : undefined
}

interface ClassContext {
  readonly source: Source
  readonly asked: AskedOfBoth
  /** All that rules hold the source against. */
  readonly texts: readonly string[]
}

function classOf(sides: Sides, at: At, packet: Packet, { source, asked, texts }: ClassContext): PacketClass {
  const isAnyInterface = asked.a.interfaces.size + asked.b.interfaces.size === 0
  return {
    packet: isAnyInterface ? withoutInterface(packet) : packet,
    a: traced(sides.a, packet, asked.a),
    b: traced(sides.b, packet, asked.b),
    isOtherPort: !portRanges(at.ports).some((range) => holds(range, BigInt(at.port))),
    isOtherAddress: !at.destination.isNamed,
    sourceIn: narrowest(texts, source, sides),
  }
}

function packetOf({ destination, protocol, port }: At, arrival: Arrival, source: Source): Packet {
  const to = { protocol, source: source.address, destination: destination.address, destinationPort: port }
  return { ...arrival, ...to }
}

function withoutInterface({ inInterface: _, ...packet }: Packet): Packet {
  return packet
}

function traced(side: Side, packet: Packet, asked: Asked): SideOfClass {
  asked.clients.clear()
  const ways = side.trace(packet, asked)
  return { ways, remembers: secondsOf(asked) }
}

function secondsOf({ clients }: Asked): number | undefined {
  return clients.size === 0 ? undefined : Math.max(...clients.values())
}

function narrowest(texts: readonly string[], { number }: Source, { family }: Sides): string | undefined {
  let best: { readonly text: string; readonly size: bigint } | undefined
  for (const text of texts) {
    const [range] = rangesOf([text], family)
    if (range === undefined || !holds(range, number)) continue
    const size = range.last - range.first
    if (best === undefined || size < best.size) best = { text, size }
  }
  return best?.text
}

function portRanges(texts: Iterable<string>): readonly NumberRange[] {
  return Array.from(texts, (text) => {
    const [first = '', last = first] = text.split('-')
    return { first: BigInt(first), last: BigInt(last) }
  })
}

const LAST_PORT = 65535n

/** The first of every stretch of ports. */
function portCandidates(ranges: readonly NumberRange[]): readonly number[] {
  const cuts = new Set([1n, ...ranges.flatMap(({ first, last }) => [first, last + 1n])])
  return Array.from(cuts)
    .filter((cut) => cut >= 1n && cut <= LAST_PORT)
    .map(Number)
}

function portClass(ranges: readonly NumberRange[]): (port: number) => string {
  return (port) => String(ranges.flatMap((range, index) => (holds(range, BigInt(port)) ? index : [])))
}

/**
 * From the node, and from the network by every interface that rules tell apart; of pods where bridges make a difference. The
 * kernel takes nothing from the network for loopback addresses.
 */
function arrivals({ address }: Destination, interfaces: ReadonlySet<string>, bridged: boolean): readonly Arrival[] {
  if (isLoopback(address)) return [{ origin: 'node' }]
  const names = [OTHER_INTERFACE, ...Array.from(interfaces, (name) => name.replace(/\+$/, '0'))]
  const origins = bridged ? (['outside', 'pod'] as const) : (['outside'] as const)
  return [{ origin: 'node' }, ...origins.flatMap((origin) => names.map((inInterface) => ({ origin, inInterface })))]
}

/** Of no program that names interfaces. */
const OTHER_INTERFACE = 'other0'

function arrivalClass(interfaces: ReadonlySet<string>, bridged: boolean): (arrival: Arrival) => string {
  return ({ origin, inInterface }) => {
    if (inInterface === undefined) return origin
    const fitting = Array.from(interfaces).filter((name) => fits(name, inInterface))
    return `${bridged ? origin : 'network'} ${fitting.sort().join(' ')}`
  }
}

function fits(name: string, actual: string): boolean {
  return name.endsWith('+') ? actual.startsWith(name.slice(0, -1)) : actual === name
}
