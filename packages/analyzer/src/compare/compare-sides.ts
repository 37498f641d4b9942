import { appendAll } from '@kube-rules/compiler/internal/internal/append-all'
import { createLazyFieldAdder } from '@kube-rules/compiler/internal/internal/memo'
import type { Packet } from '@kube-rules/types'
import type { TracePath } from '../trace/trace-paths.js'
import { createPacketClassKey, servicePortsOfPacketClass } from './class-key.js'
import type { DifferingPacketClass, PacketClass, PacketClassResult } from './classes.js'
import { createPacketClassEnumerator } from './classes-by-template.js'
import { computeOutcomeDistribution } from './compare-paths.js'
import type { ComparisonSides, RandomChoice } from './comparison-side.js'
import { collectDestinations, type Destination } from './destinations.js'
import type { OccupantLookup } from './occupants.js'
import { describePacketGroups, formatDestination, groupPacketClasses, type PacketGroup } from './packet-groups.js'

/**
 * The comparison of two rulesets for every packet: the first packet of a TCP, UDP or SCTP connection from any source to
 * any destination.
 */
export interface Comparison {
  /**
   * Whether both sides handle every packet the same: no differences, no expected differences, nothing
   * inconclusive, nothing contested, and nothing that was not compared.
   */
  readonly equal: boolean
  /** The number of compared packet classes. Both sides handle all packets of a class uniformly. */
  readonly classes: number
  /** Packet classes that the sides handle differently. */
  readonly differences: readonly Difference[]
  /** Classes with an undetermined result. */
  readonly inconclusive: readonly Difference[]
  /**
   * Classes that several service ports claim, with the same outcomes on both sides. kube-proxy selects one of these
   * service ports at random. Absent if there are no such classes, or if the plans of the sides are unknown (`plans`).
   */
  readonly contested?: readonly Difference[] | undefined
  /**
   * Differences that known limitations of the modes explain. These differences are excluded from `differences`. Absent
   * if `knownLimitationsOf` is absent.
   */
  readonly expected?: ExpectedDifferences | undefined
  /** Destinations with too many packet classes for a complete comparison. Absent if every destination was compared. */
  readonly notCompared?: readonly string[] | undefined
}

/** Differences that limitations of the modes of the two sides explain. */
export interface ExpectedDifferences {
  readonly classes: number
  /** The limitations in order of first occurrence. */
  readonly limitations: readonly ExpectedLimitation[]
}

export interface ExpectedLimitation {
  /** The side with the limitation; `both` if the plans differ. */
  readonly side: 'a' | 'b' | 'both'
  readonly code: string
  /** The number of packet classes that the limitation explains, alone or with other limitations. */
  readonly classes: number
  /** An example packet. */
  readonly packet: Packet
}

/**
 * Returns the limitations that explain how both sides handle a packet. Undefined if limitations do not explain the
 * difference.
 */
export type DifferenceExplainer = (
  packet: Packet,
  a: readonly TracePath[],
  b: readonly TracePath[],
) => ExplainingLimitations | undefined

/** Codes of limitations. */
export type ExplainingLimitations = { readonly [side in ExpectedLimitation['side']]: readonly string[] }

/**
 * Packet classes that all have the same result on side `a`, and all have the same, different result on side `b`. Plain
 * data.
 */
export interface Difference {
  /** An example packet. */
  readonly packet: Packet
  /** A readable description of the packets: `TCP 10.96.0.10:80, from the network, any other source in 10.244.0.0/16`. */
  readonly condition: string
  /** All packets of the difference, described as a union of groups. No packet is in two differences. */
  readonly packetGroups: readonly PacketGroup[]
  /** The number of classes of the difference. */
  readonly classes: number
  /** The service ports of the matching rules: `default/web:http/TCP`. Includes the service ports of `choices`. */
  readonly services: readonly string[]
  /**
   * The destinations in `packetGroups` that belonged to something else on the first side, and that the second side takes
   * over, or addresses of the node whose packets no longer reach it. They come first in every list of destinations.
   * Absent if there are none.
   */
  readonly occupied?: readonly OccupiedDestination[] | undefined
  /** The handling by the first side. */
  readonly a: ComparedSide
  /** The handling by the second side. */
  readonly b: ComparedSide
  /**
   * The differences between versions of kube-proxy that cause this difference. Absent if the comparison is not between
   * versions.
   */
  readonly causes?: readonly VersionCause[] | undefined
  /**
   * The reason why the second side rejects or drops the example packet, if the first side does not. Absent if the
   * comparison is not between two versions of the objects, or if the objects do not define the reason.
   */
  readonly reason?: string | undefined
}

/** A destination that belonged to something else before. */
export interface OccupiedDestination {
  /** The destination: `TCP 192.168.0.2:10250`. */
  readonly destination: string
  /** The former use of the address: `the node`, `shop/web`, or `an endpoint of shop/web`. */
  readonly occupant: string
}

/** A difference between two versions of kube-proxy that changes how a packet is handled. */
export interface VersionCause {
  /** The first version with the change. */
  readonly version: string
  /** The name of the feature. */
  readonly feature: string
  /** The behavior of the newer version. Absent if it is not documented. */
  readonly summary?: string | undefined
  /** The change in Kubernetes: `kubernetes/kubernetes#109060`, `KEP-1669`. Absent if the change is unknown. */
  readonly change?: string | undefined
}

export interface ComparedSide {
  /**
   * The service ports that kube-proxy selects from at random, each with the outcomes of the example packet if it is
   * selected. `outcomes` and `paths` are those of one selection. Absent if the packets are not contested.
   */
  readonly choices?: readonly RandomChoice[] | undefined
  /** The timeout of session affinity in seconds; absent without session affinity. */
  readonly affinitySeconds?: number | undefined
  /** The outcomes of the example packet, each with its probability. */
  readonly outcomes: Readonly<Record<string, string>>
  /** The paths of the example packet, in the form that `trace` returns. */
  readonly paths: readonly TracePath[]
}

/** One side of a difference, without its paths. */
export type SideOutcomes = Omit<ComparedSide, 'paths'>

/**
 * Compares how both sides handle packets to the given destinations. With `explain`, explained differences are counted
 * separately. With `occupantsFor`, differences that take over an address come first.
 */
export function compareSides(
  sides: ComparisonSides,
  isSelected: (destination: Destination) => boolean,
  explain?: DifferenceExplainer,
  maxClasses: number = MAX_CLASSES,
  occupantsFor?: OccupantLookup,
): Comparison {
  const declared: DeclaredSoFar = { classes: 0, limitations: new Map(), byOrigin: new Map() }
  const classesAt = createPacketClassEnumerator(sides, { classes: maxClasses })
  const notCompared: string[] = []
  const groups: ClassGroups = { other: new Map(), unknown: new Map(), contested: new Map() }
  let classes = 0
  let collected = 0
  for (const destination of collectDestinations(sides)) {
    if (!isSelected(destination)) continue
    if (collected > maxClasses * COLLECTED_PER_TRACED) {
      notCompared.push(destination.address)
      continue
    }
    const known = classesAt(destination)
    classes += known.count
    if (!known.isWhole && !sides.areSameState?.()) notCompared.push(destination.address)
    for (const equivalents of known.differing) {
      const unexplained = equivalents.filter((packetClass) => !isSettled(packetClass, sides, explain, declared))
      const [first] = unexplained
      if (first === undefined) continue
      collected += unexplained.length
      addTo(groups[first.equivalence], createPacketClassKey(first), unexplained)
    }
  }
  return toComparison(groups, { classes, notCompared, declared: explain && declared }, occupantsFor)
}

/** Differing classes by key and by the comparison of both sides. */
type ClassGroups = { readonly [E in DifferingPacketClass['equivalence']]: Map<string, PacketClass[]> }

/** Reports whether a class needs no report: both sides are the same state, or its difference is explained. */
function isSettled(
  packetClass: DifferingPacketClass,
  { areSameState }: ComparisonSides,
  explain: DifferenceExplainer | undefined,
  declared: DeclaredSoFar,
): boolean {
  if (packetClass.equivalence === 'contested') return false
  if (packetClass.equivalence === 'unknown' && areSameState?.()) return true
  return explain !== undefined && isExpected(packetClass, explain, declared)
}

interface ComparisonCounts {
  readonly classes: number
  readonly notCompared: readonly string[]
  readonly declared: DeclaredSoFar | undefined
}

function toComparison(
  groups: ClassGroups,
  { classes, notCompared, declared }: ComparisonCounts,
  occupantsFor: OccupantLookup | undefined,
): Comparison {
  const listOf = (group: ReadonlyMap<string, readonly PacketClass[]>) =>
    takeoversFirst(Array.from(group.values(), (all) => divergenceOf(all, occupantsFor)))
  const [differences, inconclusive] = [listOf(groups.other), listOf(groups.unknown)]
  const contested = listOf(groups.contested)
  const left = inconclusive.length + contested.length + (declared?.classes ?? 0) + notCompared.length
  return {
    equal: differences.length + left === 0,
    classes,
    differences,
    inconclusive,
    ...(contested.length > 0 && { contested }),
    ...(declared && { expected: { classes: declared.classes, limitations: [...declared.limitations.values()] } }),
    ...(notCompared.length > 0 && { notCompared }),
  }
}

/** Moves the differences to the front that take over an address, or that newly leave packets to chance. */
function takeoversFirst(differences: readonly Difference[]): readonly Difference[] {
  return [...differences.filter(isTakeover), ...differences.filter((each) => !isTakeover(each))]
}

/** Reports whether a difference takes over an address, or newly leaves packets to chance. */
export function isTakeover({ occupied, a, b }: Difference): boolean {
  return occupied !== undefined || (b.choices !== undefined && a.choices === undefined)
}

/** The default maximum number of traced classes: some minutes of work. Substituted classes do not count. */
const MAX_CLASSES = 1_000_000

/**
 * The number of differing classes to collect for each class that may be traced. Symmetric ports and equal templates
 * multiply the differing classes without a trace, and those of a large cluster would fill the memory.
 */
const COLLECTED_PER_TRACED = 4

interface DeclaredSoFar {
  classes: number
  readonly limitations: Map<string, ExpectedLimitation>
  /**
   * The limitations that explain the difference of each traced class. A substituted class has the explanation of its
   * `origin`.
   */
  readonly byOrigin: Map<PacketClass, ExplainingLimitations | undefined>
}

/**
 * Reports whether the difference of a class is explained, and counts it if so. An unknown condition, such as whether a
 * packet comes through a bridge, does not prevent this: an explanation covers the outcomes for both values.
 */
function isExpected(packetClass: DifferingPacketClass, explain: DifferenceExplainer, declared: DeclaredSoFar): boolean {
  const explained = explanationOf(packetClass, explain, declared)
  if (explained === undefined) return false
  const { packet } = packetClass
  declared.classes++
  for (const side of ['a', 'b', 'both'] as const)
    for (const code of explained[side]) count(declared.limitations, { side, code, classes: 1, packet })
  return true
}

function explanationOf(
  packetClass: DifferingPacketClass,
  explain: DifferenceExplainer,
  { byOrigin }: DeclaredSoFar,
): ExplainingLimitations | undefined {
  const origin = packetClass.origin ?? packetClass
  if (byOrigin.has(origin)) return byOrigin.get(origin)
  const [a, b] = [packetClass.a(), packetClass.b()]
  const found = explain(packetClass.packet, a.paths(), b.paths())
  // Each of the contending service ports has an affinity of its own.
  const explained = found?.both.includes('contested') || haveEqualAffinity(a, b) ? found : undefined
  byOrigin.set(origin, explained)
  return explained
}

/**
 * Reports whether session affinity is the same on both sides. Affinity is compared only if packets reach an endpoint on
 * both sides. It is not compared for the userspace proxy, because this process keeps its own affinity entries.
 */
function haveEqualAffinity(a: PacketClassResult, b: PacketClassResult): boolean {
  return a.affinitySeconds === b.affinitySeconds || !reachesEndpoint(a) || !reachesEndpoint(b)
}

function reachesEndpoint({ affinitySeconds, paths }: PacketClassResult): boolean {
  return affinitySeconds !== undefined || paths().some(({ outcome }) => outcome.kind === 'delivered')
}

function count(limitations: Map<string, ExpectedLimitation>, met: ExpectedLimitation): void {
  const key = `${met.side} ${met.code}`
  const existing = limitations.get(key)
  limitations.set(key, existing === undefined ? met : { ...existing, classes: existing.classes + 1 })
}

function addTo(groups: Map<string, PacketClass[]>, key: string, classes: readonly PacketClass[]): void {
  const existing = groups.get(key)
  if (existing === undefined) groups.set(key, [...classes])
  else appendAll(existing, classes)
}

function divergenceOf(classes: readonly PacketClass[], occupantsFor: OccupantLookup | undefined): Difference {
  const [first] = classes as readonly [PacketClass]
  const occupied = occupantsFor === undefined ? [] : findOccupied(classes, occupantsFor)
  const groups = groupPacketClasses(classes, occupied)
  return {
    packet: first.packet,
    condition: describePacketGroups(groups, occupied),
    packetGroups: groups,
    classes: classes.length,
    services: servicePortsOfPacketClass(first),
    ...(occupied.length > 0 && { occupied }),
    a: sideOfDifference(first, 'a'),
    b: sideOfDifference(first, 'b'),
  }
}

/** Returns the occupied destinations of classes with the same results, without duplicates. */
function findOccupied(classes: readonly PacketClass[], occupantsFor: OccupantLookup): readonly OccupiedDestination[] {
  const [first] = classes as readonly [PacketClass]
  const occupantOf = occupantsFor(first)
  const occupants = new Map<string, string>()
  for (const packetClass of classes) {
    const occupant = occupantOf(packetClass.packet.destination)
    if (occupant !== undefined) occupants.set(formatDestination(packetClass), occupant)
  }
  return Array.from(occupants, ([destination, occupant]) => ({ destination, occupant }))
}

/**
 * Computes outcomes and paths lazily. Most differences of a large comparison are never read, so only the packet is
 * stored.
 */
const withOutcomesAndPaths = createLazyFieldAdder({
  outcomes: (paths: PacketClassResult['paths']): ComparedSide['outcomes'] =>
    Object.fromEntries(computeOutcomeDistribution(paths())),
  paths: (paths: PacketClassResult['paths']) => paths(),
})

function sideOfDifference(packetClass: PacketClass, side: 'a' | 'b'): ComparedSide {
  const { paths, affinitySeconds } = packetClass[side]()
  const choices = packetClass.choices?.[side] ?? []
  const fields = { ...(affinitySeconds !== undefined && { affinitySeconds }), ...(choices.length > 0 && { choices }) }
  return withOutcomesAndPaths(fields, paths)
}
