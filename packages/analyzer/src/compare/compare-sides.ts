import { appendAll } from '@kube-rules/compiler/internal/internal/append-all'
import { createLazyFieldAdder } from '@kube-rules/compiler/internal/internal/memo'
import { toOutcomeRecord } from '../plan/outcome-distribution.js'
import { createPacketClassKey, servicePortsOfPacketClass } from './class-key.js'
import type { DifferingPacketClass, PacketClass, PacketClassResult } from './classes.js'
import { createPacketClassEnumerator } from './classes-by-template.js'
import { computeOutcomeDistribution } from './compare-paths.js'
import {
  type ComparedSide,
  type Comparison,
  type Difference,
  isTakeover,
  type OccupiedDestination,
} from './comparison.js'
import type { ComparisonSides } from './comparison-side.js'
import { collectDestinations, type Destination } from './destinations.js'
import { type DeclaredSoFar, type DifferenceExplainer, isExpected } from './expected-differences.js'
import type { OccupantLookup } from './occupants.js'
import { describePacketGroups, formatDestination, groupPacketClasses } from './packet-groups.js'

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

/** The default maximum number of traced classes: some minutes of work. Substituted classes do not count. */
const MAX_CLASSES = 1_000_000

/**
 * The number of differing classes to collect for each class that may be traced. Symmetric ports and equal templates
 * multiply the differing classes without a trace, and those of a large cluster would fill the memory.
 */
const COLLECTED_PER_TRACED = 4

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
    toOutcomeRecord(computeOutcomeDistribution(paths())),
  paths: (paths: PacketClassResult['paths']) => paths(),
})

function sideOfDifference(packetClass: PacketClass, side: 'a' | 'b'): ComparedSide {
  const { paths, affinitySeconds } = packetClass[side]()
  const choices = packetClass.choices?.[side] ?? []
  const fields = { ...(affinitySeconds !== undefined && { affinitySeconds }), ...(choices.length > 0 && { choices }) }
  return withOutcomesAndPaths(fields, paths)
}
