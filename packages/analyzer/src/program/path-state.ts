import {
  addFractions,
  type Fraction,
  formatFraction,
  multiplyFractions,
  ONE_FRACTION,
} from '@kube-rules/compiler/internal/internal/fraction'
import type { Assumption } from './assumptions.js'
import type { EquivalentSources } from './equivalent-sources.js'
import { createPacketKey, type KernelPacket, sendPacketTo } from './kernel-packet.js'
import { appendSection, type LinkedStep, type PathStep, stepsOf } from './steps.js'

/**
 * A path, and the packets that take it. The packets differ only in their source (`sources`) and in their destination
 * (`destinations`), and each combination of both takes the path. `packet` has the first source and the first destination.
 */
export interface PathState {
  /** The probability of the path if its assumptions are true, without the probabilities of its destinations. */
  readonly weight: Fraction
  readonly assumptions: readonly Assumption[]
  readonly packet: KernelPacket
  /** The last of the steps that the path does not share with the paths that were followed with it; they come first. */
  readonly leading: LinkedStep | undefined
  /** The last step. While the path has several destinations, each of them has leading steps of its own. */
  readonly last: LinkedStep | undefined
  /** The sources; undefined if there is only that of `packet`. */
  readonly sources: EquivalentSources | undefined
  /** The destinations after a random choice between endpoints; undefined if there is only that of `packet`. */
  readonly destinations: readonly Destination[] | undefined
  /** The position among the paths that were followed as one, if there is only one destination. */
  readonly order: number | undefined
}

/** One of the destinations of a path. */
export interface Destination {
  readonly address: string
  readonly port: number
  /** The share of the packets of the path that are sent to this destination. */
  readonly weight: Fraction
  /** The last step of this destination. */
  readonly last: LinkedStep | undefined
  readonly order: number
}

/** The verdict of a base chain on a packet. */
export type HookVerdict =
  | { readonly kind: 'next' }
  /** The packet is traced again from OUTPUT, like a locally generated packet. */
  | { readonly kind: 'output' }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'rejected'; readonly with: string }
  | { readonly kind: 'unknown'; readonly reason: string }

export const NEXT_VERDICT: HookVerdict = { kind: 'next' }
export const OUTPUT_VERDICT: HookVerdict = { kind: 'output' }
export const DROPPED_VERDICT: HookVerdict = { kind: 'dropped' }

// The functions below copy fields explicitly, because spreading objects of several shapes would take most of the time
// of a trace.

/** Returns a path without steps and with one destination. Its weight is 1. */
export function startPath({
  packet,
  sources,
  assumptions,
}: Pick<PathState, 'packet' | 'sources' | 'assumptions'>): PathState {
  return {
    weight: ONE_FRACTION,
    assumptions,
    packet,
    leading: undefined,
    last: undefined,
    sources,
    destinations: undefined,
    order: undefined,
  }
}

export function withLast(path: PathState, last: LinkedStep | undefined): PathState {
  const { weight, assumptions, packet, leading, sources, destinations, order } = path
  return { weight, assumptions, packet, last, leading, sources, destinations, order }
}

export function withPacket(path: PathState, packet: KernelPacket): PathState {
  const { weight, assumptions, last, leading, sources, destinations, order } = path
  return { weight, assumptions, packet, last, leading, sources, destinations, order }
}

/** Multiplies the weight of a path by a probability. */
export function scaleWeight(path: PathState, probability: Fraction): PathState {
  const { weight, assumptions, packet, last, leading, sources, destinations, order } = path
  return {
    weight: multiplyFractions(weight, probability),
    assumptions,
    packet,
    last,
    leading,
    sources,
    destinations,
    order,
  }
}

export function withAssumption(path: PathState, condition: string, value: boolean): PathState {
  return withAssumptions(path, [...path.assumptions, { condition, value }])
}

export function withAssumptions(path: PathState, assumptions: readonly Assumption[]): PathState {
  const { weight, packet, last, leading, sources, destinations, order } = path
  return { weight, assumptions, packet, last, leading, sources, destinations, order }
}

/** Returns the path with these sources only. */
export function withSources(path: PathState, sources: EquivalentSources): PathState {
  const { weight, assumptions, packet, last, leading, destinations, order } = path
  const [source = packet.source] = sources.sources
  return { weight, assumptions, packet: { ...packet, source }, last, leading, sources, destinations, order }
}

/** Returns the path with these destinations only. */
export function withDestinations(path: PathState, destinations: readonly Destination[]): PathState {
  const { weight, assumptions, packet, last, sources } = path
  const [first] = destinations
  if (first === undefined) return path
  const toFirst = sendPacketTo(packet, first.address, first.port)
  if (destinations.length > 1)
    return {
      weight,
      assumptions,
      packet: toFirst,
      leading: undefined,
      last,
      sources,
      destinations,
      order: undefined,
    }
  return {
    weight: multiplyFractions(weight, first.weight),
    assumptions,
    packet: toFirst,
    leading: first.last,
    last,
    sources,
    destinations: undefined,
    order: first.order,
  }
}

/** Returns the probability of a path to any of its destinations, if its assumptions are true. */
export function weightWithDestinations({ weight, destinations }: PathState): Fraction {
  const [first, ...others] = destinations ?? []
  if (first === undefined) return weight
  return multiplyFractions(
    weight,
    others.reduce((sum, each) => addFractions(sum, each.weight), first.weight),
  )
}

/** Returns the path of each destination. */
export function pathsOfDestinations(path: PathState): readonly PathState[] {
  if (path.destinations === undefined) return [path]
  return path.destinations.map((destination) => withDestinations(path, [destination]))
}

/** Returns the path after its destination was replaced. `packet` has the new destination, which all packets share. */
export function withTranslation(path: PathState, packet: KernelPacket): PathState {
  const { assumptions, last, sources, destinations } = path
  const [first] = destinations ?? []
  if (destinations === undefined || first === undefined) return withPacket(path, packet)
  return {
    weight: weightWithDestinations(path),
    assumptions,
    packet,
    leading: first.last,
    last,
    sources,
    destinations: undefined,
    order: first.order,
  }
}

/** Returns the path as the start of a section: with weight 1 and without steps. */
export function startSection({ assumptions, packet, leading, sources, destinations, order }: PathState): PathState {
  return { weight: ONE_FRACTION, assumptions, packet, last: undefined, leading, sources, destinations, order }
}

/** Returns the end of a section as the end of the whole path that began at `start`. */
export function joinSection(start: PathState, end: PathState): PathState {
  const { assumptions, packet, sources, destinations } = end
  // A path with several destinations may have become one with a single destination in the section.
  const { leading, order } = start.destinations === undefined ? start : end
  return {
    weight: start.weight === ONE_FRACTION ? end.weight : multiplyFractions(start.weight, end.weight),
    assumptions,
    packet,
    leading,
    last: appendSection(start.last, end.last),
    sources,
    destinations,
    order,
  }
}

/** Returns the steps of a path with one destination, in chronological order. */
export function stepsOfPath({ leading, last }: Pick<PathState, 'leading' | 'last'>): readonly PathStep[] {
  return stepsOf(appendSection(leading, last))
}

/** Returns a key of the packets of a path. Paths of one traced packet have the same key if they have the same packets. */
export function createPathKey({ packet, sources, destinations }: PathState): string {
  const key = `${createPacketKey(packet)} ${sources?.id}`
  if (destinations === undefined) return key
  return `${key} ${destinations.map(({ address, port, weight }) => `${address} ${port} ${formatFraction(weight)}`).join()}`
}
