import type { Packet } from '@kube-rules/types'
import type { TracePath } from '../trace/trace-paths.js'
import type { RandomChoice } from './comparison-side.js'
import type { PacketGroup } from './packet-groups.js'

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

/** Reports whether a difference takes over an address, or newly leaves packets to chance. */
export function isTakeover({ occupied, a, b }: Difference): boolean {
  return occupied !== undefined || (b.choices !== undefined && a.choices === undefined)
}
