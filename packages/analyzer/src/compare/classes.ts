import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import type { Packet, Protocol } from '@kube-rules/types'
import { type OutcomeDistribution, sumOutcomeWeights } from '../plan/outcome-distribution.js'
import { type AddressRange, numberToAddress, rangeContains } from '../program/address-range.js'
import { TOO_MANY_PATHS } from '../program/chain-result.js'
import { createEquivalentSources, type EquivalentSources } from '../program/equivalent-sources.js'
import { createReadSet, type PortLookups, type ReadSet } from '../program/read-set.js'
import type { PathStep } from '../program/steps.js'
import type { SharedPathEnd } from '../trace/trace-paths.js'
import { createArrivalClassifier, listCandidateArrivals, type PacketArrival } from './arrivals.js'
import { comparePaths, computeOutcomeDistribution, type Equivalence, findDifferingSources } from './compare-paths.js'
import type { ComparedPath, ComparedPathEnd } from './compared-path.js'
import { type ComparisonSide, type ComparisonSides, createLazyTrace, type RandomChoices } from './comparison-side.js'
import type { Destination } from './destinations.js'
import { type CollectedPorts, isMatchedPort } from './matched-ports.js'
import { type BoundAddresses, createSourceClassifier, listCandidateSources } from './sources.js'
import { visitEachClass } from './visit-each-class.js'

/** A class of packets that each side handles in the same way, with one representative packet. */
export interface PacketClass {
  /** The comparison of both sides. `contested` means that both sides leave the same choice to chance. */
  readonly equivalence: Equivalence | 'contested'
  /** The choices of kube-proxy, if the packets are contested on one or both sides. */
  readonly choices?: RandomChoices | undefined
  readonly packet: Packet
  /**
   * The narrowest network or address in the rules that contains the source. Undefined if no network or address contains
   * it.
   */
  readonly sourceIn: string | undefined
  /** Whether the destination represents further addresses that rules do not mention. */
  readonly isOtherAddress: boolean
  /** Whether the rules match on destination ports, but not on the destination port of this packet. */
  readonly isOtherPort: boolean
  /**
   * The class of another destination with the same template, if this class was derived from it by substitution of
   * addresses.
   */
  readonly origin?: PacketClass | undefined
  /** The handling on either side, computed on demand. */
  readonly a: () => PacketClassResult
  readonly b: () => PacketClassResult
}

/** A class that both sides may handle differently. */
export type DifferingPacketClass = PacketClass & { readonly equivalence: Exclude<PacketClass['equivalence'], 'same'> }

export function isDifferingPacketClass(packetClass: PacketClass): packetClass is DifferingPacketClass {
  return packetClass.equivalence !== 'same'
}

export interface PacketClassResult {
  readonly distribution: () => OutcomeDistribution
  /** The service ports with matching rules, from the first path. All paths begin with the same rules. */
  readonly owners: readonly string[]
  /** The paths, traced on demand. */
  readonly paths: () => readonly ComparedPath[]
  /** The longest session-affinity timeout in seconds; undefined without affinity. */
  readonly affinitySeconds: number | undefined
}

/** Receives every class. Receives undefined for a class that both sides certainly handle the same way. */
export type Report = (packetClass: PacketClass | undefined) => void

/** Packets to one port of a destination. */
export interface PacketsAtPort {
  readonly destination: Destination
  readonly protocol: Protocol
  readonly port: number
  /** The ports that rules distinguish, as far as known; each traced packet may add more. */
  readonly ports: CollectedPorts
  readonly bound: BoundAddresses
}

/**
 * Enumerates the packet classes of a destination port. Classes differ in the fields that rules read when a
 * representative packet is traced. Returns whether the outcomes depend on the port only through comparisons in
 * `ports`.
 */
export function enumerateClassesAtPort(sides: ComparisonSides, at: PacketsAtPort, report: Report): boolean {
  const readSet = { a: initialReadSet(sides, 'a', at), b: initialReadSet(sides, 'b', at) }
  const interfaces = () => new Set([...readSet.a.interfaces, ...readSet.b.interfaces])
  visitEachClass(
    () => listCandidateArrivals(at.destination, interfaces(), readSet.a.bridged || readSet.b.bridged),
    () => createArrivalClassifier(interfaces(), readSet.a.bridged || readSet.b.bridged),
    (packetClass) => {
      for (const arrival of packetClass) classesFrom(sides, at, arrival, readSet, report)
    },
  )
  return [readSet.a, readSet.b].every(({ portLookups }) => portLookups?.areComplete === true)
}

function initialReadSet(
  sides: ComparisonSides,
  side: 'a' | 'b',
  { destination: { address }, protocol, port }: PacketsAtPort,
): ReadSet {
  const { contested } = sides
  const { planReadSet } = sides[side]
  const portLookups: PortLookups = { sets: new Set(), areComplete: planReadSet === undefined }
  const readSet = { ...createReadSet(), portLookups }
  const lookups = [planReadSet, contested?.has(address) ? contested.readSet : undefined]
  for (const additional of lookups.flatMap((lookup) => lookup?.(address, protocol, port) ?? [])) {
    for (const text of additional.sources) readSet.sources.add(text)
    for (const name of additional.interfaces) readSet.interfaces.add(name)
  }
  return readSet
}

interface ReadSetOfBoth {
  readonly a: ReadSet
  readonly b: ReadSet
}

function classesFrom(
  sides: ComparisonSides,
  at: PacketsAtPort,
  arrival: PacketArrival,
  readSet: ReadSetOfBoth,
  report: Report,
): void {
  const facts = { sides, arrival, destination: at.destination.address, bound: at.bound }
  const texts = () => new Set([...readSet.a.sources, ...readSet.b.sources])
  const questions = () => ({
    ranges: rangesOf(texts(), sides),
    locals: readSet.a.localSources || readSet.b.localSources,
  })
  const foundSources: FoundSource[] = []
  const ids = new Map<string, number>()
  // If the trace of a path stops early, classes may be missing for sources that only the untraced rules distinguish.
  let isWhole = true
  visitEachClass(
    () => listCandidateSources(facts, questions()),
    () => createSourceClassifier(sides, questions()),
    (numbers) => {
      const addresses = numbers.map((number) => numberToAddress(number, sides.family))
      const packet = packetOf(at, arrival, elementAt(addresses, 0))
      const ends = sharedEnds(sides, packet, createEquivalentSources(addresses, ids), readSet)
      const differing = ends && findDifferingSources(ends.a, ends.b)
      if ([...(ends?.a ?? []), ...(ends?.b ?? [])].some(isCut)) isWhole = false
      for (const source of addresses)
        foundSources.push({ source, ends: differing && ends, isSame: differing?.has(source) === false })
      for (const each of [readSet.a, readSet.b]) at.ports.add(each)
    },
  )
  const isContested = sides.contested?.has(at.destination.address) === true
  for (const { source, ends, isSame } of foundSources) {
    const packet = packetOf(at, arrival, source)
    if (!isWhole) report({ ...classOf(sides, at, packet, readSet, undefined), equivalence: 'unknown' })
    else if (isSame && !isContested) report(undefined)
    else
      report(
        withRandomChoices(sides, {
          ...classOf(sides, at, packet, readSet, ends),
          ...(isSame && { equivalence: 'same' }),
        }),
      )
  }
}

/** Returns the class with the comparison of its random choices, if it is contested. */
function withRandomChoices(
  { contested }: ComparisonSides,
  packetClass: PacketClass & { readonly equivalence: Equivalence },
): PacketClass {
  const { packet, equivalence, a, b } = packetClass
  const result = contested?.compareRandomChoices(packet, { equivalence, a: () => a().paths(), b: () => b().paths() })
  return result === undefined ? packetClass : { ...packetClass, ...result }
}

function isLimited({ isLimited = false }: ComparedPath): boolean {
  return isLimited
}

function isCut({ outcome }: SharedPathEnd): boolean {
  return outcome.kind === 'unknown' && outcome.reason === TOO_MANY_PATHS
}

interface FoundSource {
  readonly source: string
  /** The path ends of the packets on both sides. Undefined if each packet must be traced individually. */
  readonly ends: SharedEnds | undefined
  /** Whether both sides have equal ends. */
  readonly isSame: boolean
}

interface SharedEnds {
  readonly a: readonly ComparedPathEnd[]
  readonly b: readonly ComparedPathEnd[]
  /** The longest session-affinity timeout, which is the same on both sides. */
  readonly affinitySeconds: number | undefined
}

/**
 * Returns the path ends of a packet on both sides. Undefined if the affinity timeouts differ between the sides. In this
 * case, the complete paths must be compared.
 */
function sharedEnds(
  { a, b }: ComparisonSides,
  packet: Packet,
  equivalents: EquivalentSources,
  readSet: ReadSetOfBoth,
): SharedEnds | undefined {
  for (const each of [readSet.a, readSet.b]) each.clients.clear()
  const ends = {
    a: a.traceSharedPaths(packet, equivalents, readSet.a),
    b: b.traceSharedPaths(packet, equivalents, readSet.b),
  }
  const affinitySeconds = secondsOf(readSet.a)
  return affinitySeconds === secondsOf(readSet.b) ? { ...ends, affinitySeconds } : undefined
}

function classOf(
  sides: ComparisonSides,
  at: PacketsAtPort,
  packet: Packet,
  readSet: ReadSetOfBoth,
  ends: SharedEnds | undefined,
): PacketClass & ComparedClass {
  const isAnyInterface = readSet.a.interfaces.size + readSet.b.interfaces.size === 0
  return {
    ...(ends === undefined ? tracedClass(sides, packet, readSet) : classOfEnds(sides, packet, ends)),
    packet: isAnyInterface ? withoutInterface(packet) : packet,
    isOtherPort: !isMatchedPort(at.ports, at.port),
    isOtherAddress: !at.destination.isNamed,
    sourceIn: narrowest(new Set([...readSet.a.sources, ...readSet.b.sources]), packet, sides),
  }
}

interface ComparedClass extends Pick<PacketClass, 'a' | 'b'> {
  readonly equivalence: Equivalence
}

function tracedClass(sides: ComparisonSides, packet: Packet, readSet: ReadSetOfBoth): ComparedClass {
  const [a, b] = [traced(sides.a, packet, readSet.a), traced(sides.b, packet, readSet.b)]
  const kind = comparePaths(a.paths(), b.paths())
  const isReported = a.affinitySeconds !== b.affinitySeconds || [...a.paths(), ...b.paths()].some(isLimited)
  return {
    equivalence: kind === 'same' && isReported ? 'other' : kind,
    a: () => a,
    b: () => b,
  }
}

function traced(side: ComparisonSide, packet: Packet, readSet: ReadSet): PacketClassResult {
  readSet.clients.clear()
  const paths = side.trace(packet, readSet)
  const distribution = computeOutcomeDistribution(paths)
  const isSent = paths.some(({ outcome }) => outcome.kind === 'delivered' || outcome.kind === 'unknown')
  return {
    distribution: () => distribution,
    owners: ownersOf(paths.slice(0, 1).flatMap(({ steps }) => steps)),
    paths: () => paths,
    // A packet without an outcome at an endpoint creates no affinity entry.
    affinitySeconds: isSent ? secondsOf(readSet) : undefined,
  }
}

function classOfEnds(sides: ComparisonSides, packet: Packet, { a, b, affinitySeconds }: SharedEnds): ComparedClass {
  const side = (which: 'a' | 'b', ends: readonly SharedPathEnd[]): PacketClassResult => {
    const own = ends.filter(({ equivalents }) => equivalents.sources.includes(packet.source))
    const distribution = sumOutcomeWeights(own)
    return {
      distribution: () => distribution,
      owners: ownersOf(own.slice(0, 1).flatMap(({ steps }) => steps())),
      paths: createLazyTrace(sides[which], packet),
      affinitySeconds,
    }
  }
  const [onA, onB] = [side('a', a), side('b', b)]
  return { equivalence: 'other', a: () => onA, b: () => onB }
}

function ownersOf(steps: readonly PathStep[]): readonly string[] {
  return steps.map(({ servicePort }) => servicePort).filter((owner) => owner !== '')
}

function packetOf({ destination, protocol, port }: PacketsAtPort, arrival: PacketArrival, source: string): Packet {
  const to = { protocol, source, destination: destination.address, destinationPort: port }
  return { ...arrival, ...to }
}

/** Lists the fields explicitly, because an object from a rest pattern takes more memory. */
function withoutInterface({ origin, protocol, source, destination, destinationPort }: Packet): Packet {
  return { origin, protocol, source, destination, destinationPort }
}

function secondsOf({ clients }: ReadSet): number | undefined {
  return clients.size === 0 ? undefined : [...clients.values()].reduce((most, seconds) => Math.max(most, seconds))
}

function narrowest(texts: Iterable<string>, { source }: Packet, { rangeOf }: ComparisonSides): string | undefined {
  const number = rangeOf(source)?.first
  let best: { readonly text: string; readonly size: bigint } | undefined
  for (const text of texts) {
    const range = rangeOf(text)
    if (range === undefined || number === undefined || !rangeContains(range, number)) continue
    const size = range.last - range.first
    if (best === undefined || size < best.size) best = { text, size }
  }
  return best?.text
}

/** Returns the distinct ranges. */
function rangesOf(texts: Iterable<string>, { rangeOf }: ComparisonSides): readonly AddressRange[] {
  const ranges = new Map<string, AddressRange>()
  for (const text of texts) {
    const range = rangeOf(text)
    if (range !== undefined) ranges.set(`${range.first}-${range.last}`, range)
  }
  return [...ranges.values()]
}
