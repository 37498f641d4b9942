import { appendAll } from '@kube-rules/compiler/internal/internal/append-all'
import { createLazyFieldAdder } from '@kube-rules/compiler/internal/internal/memo'
import type { Packet } from '@kube-rules/types'
import type { TracePath } from '../trace/trace-paths.js'
import { createPacketClassKey, servicePortsOfPacketClass } from './class-key.js'
import type { DifferingPacketClass, PacketClass, PacketClassResult } from './classes.js'
import { createPacketClassEnumerator } from './classes-by-template.js'
import type { ComparisonSides } from './comparison-side.js'
import { collectDestinations, type Destination } from './destinations.js'
import { computeOutcomeDistribution } from './outcome-distribution.js'
import { describePacketGroups, groupPacketClasses, type PacketGroup } from './packet-groups.js'

/**
 * The comparison of two rulesets for every packet: the first packet of a TCP, UDP or SCTP connection from any source to
 * any destination.
 */
export interface Comparison {
  /**
   * Whether both sides handle every packet the same: no differences, no expected differences, nothing
   * inconclusive, and nothing that was not compared.
   */
  readonly equal: boolean
  /** The number of compared packet classes. Both sides handle all packets of a class uniformly. */
  readonly classes: number
  /** Packet classes that the sides handle differently. */
  readonly differences: readonly Difference[]
  /** Classes with an undetermined result. */
  readonly inconclusive: readonly Difference[]
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
  /** The service ports of the matching rules: `default/web:http/TCP`. */
  readonly services: readonly string[]
  /** The handling by the first side. */
  readonly a: ComparedSide
  /** The handling by the second side. */
  readonly b: ComparedSide
  /**
   * The differences between versions of kube-proxy that cause this difference. Absent if the comparison is not between
   * versions.
   */
  readonly causes?: readonly VersionCause[] | undefined
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
  /** The timeout of session affinity in seconds; absent without session affinity. */
  readonly affinitySeconds?: number | undefined
  /** The outcomes of the example packet, each with its probability. */
  readonly outcomes: Readonly<Record<string, string>>
  /** The paths of the example packet, in the form that `trace` returns. */
  readonly paths: readonly TracePath[]
}

/**
 * Compares how both sides handle packets to the given destinations. With `explain`, explained differences are counted
 * separately.
 */
export function compareSides(
  sides: ComparisonSides,
  isSelected: (destination: Destination) => boolean,
  explain?: DifferenceExplainer,
  maxClasses: number = MAX_CLASSES,
): Comparison {
  const declared: DeclaredSoFar = { classes: 0, limitations: new Map(), byOrigin: new Map() }
  const classesAt = createPacketClassEnumerator(sides, { classes: maxClasses })
  const notCompared: string[] = []
  const groups = { other: new Map<string, PacketClass[]>(), unknown: new Map<string, PacketClass[]>() }
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
    if (!known.isWhole) notCompared.push(destination.address)
    for (const equivalents of known.differing) {
      const unexplained =
        explain === undefined
          ? equivalents
          : equivalents.filter((packetClass) => !isExpected(packetClass, explain, declared))
      const [first] = unexplained
      if (first === undefined) continue
      collected += unexplained.length
      addTo(groups[first.equivalence], createPacketClassKey(first), unexplained)
    }
  }
  const differences = Array.from(groups.other.values(), divergenceOf)
  const inconclusive = Array.from(groups.unknown.values(), divergenceOf)
  return {
    equal: differences.length + inconclusive.length + declared.classes + notCompared.length === 0,
    classes,
    differences,
    inconclusive,
    ...(explain && {
      expected: { classes: declared.classes, limitations: [...declared.limitations.values()] },
    }),
    ...(notCompared.length > 0 && { notCompared }),
  }
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
  const explained = haveEqualAffinity(a, b) ? explain(packetClass.packet, a.paths(), b.paths()) : undefined
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

function divergenceOf(classes: readonly PacketClass[]): Difference {
  const [first] = classes as readonly [PacketClass]
  const groups = groupPacketClasses(classes)
  return {
    packet: first.packet,
    condition: describePacketGroups(groups),
    packetGroups: groups,
    classes: classes.length,
    services: servicePortsOfPacketClass(first),
    a: sideOfDifference(first.a()),
    b: sideOfDifference(first.b()),
  }
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

function sideOfDifference({ paths, affinitySeconds }: PacketClassResult): ComparedSide {
  return withOutcomesAndPaths(affinitySeconds === undefined ? {} : { affinitySeconds: affinitySeconds }, paths)
}
