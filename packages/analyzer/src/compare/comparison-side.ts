import type { Ternary } from '@kube-rules/compiler/internal/dataplane/netfilter/ternary'
import type { IpFamily, Packet, Protocol } from '@kube-rules/types'
import type { StatePartition } from '../dataplane/netfilter/parts.js'
import type { AddressRange } from '../program/address-range.js'
import type { EquivalentSources } from '../program/equivalent-sources.js'
import { createReadSet, type MatchedDestination, type ReadSet } from '../program/read-set.js'
import type { TracePath } from '../trace/trace-paths.js'
import type { Equivalence } from './compare-paths.js'
import type { ComparedPath, ComparedPathEnd } from './compared-path.js'

/** One of the two compared rulesets. */
export interface ComparisonSide {
  readonly trace: (packet: Packet, readSet: ReadSet) => readonly ComparedPath[]
  readonly traceSharedPaths: (
    packet: Packet,
    equivalents: EquivalentSources,
    readSet: ReadSet,
  ) => readonly ComparedPathEnd[]
  readonly isLocal: (address: string) => Ternary
  readonly destinations: readonly MatchedDestination[]
  /** The state of this side, split into the content of each owner. Absent if the state cannot be split. */
  readonly parts?: StatePartition | undefined
  /**
   * Returns criteria that distinguish packets to an address and port in addition to the rules. If absent, only the
   * rules distinguish packets.
   */
  readonly planReadSet?: AdditionalReadSetLookup | undefined
}

/** Returns the source addresses and interface names to distinguish, as in `ReadSet`. */
export type AdditionalReadSetLookup = (
  destination: string,
  protocol: Protocol,
  port: number,
) => { readonly sources: readonly string[]; readonly interfaces: readonly string[] }

export interface ComparisonSides {
  readonly family: IpFamily
  readonly a: ComparisonSide
  readonly b: ComparisonSide
  /** The addresses of the node; undefined if unknown. */
  readonly addresses: readonly string[] | undefined
  /** Returns the range of addresses in an address, network or range. Undefined for another family. */
  readonly rangeOf: (text: string) => AddressRange | undefined
  /**
   * Reports whether both sides are the same state, so that even undetermined outcomes are the same. If absent, the sides
   * differ.
   */
  readonly areSameState?: (() => boolean) | undefined
  /** The packets that several service ports claim. If absent, they are compared like other packets. */
  readonly contested?: ContestedPackets | undefined
}

/** Packets that several service ports claim, so that kube-proxy selects one of these service ports at random. */
export interface ContestedPackets {
  /** Reports whether packets to an address may be contested. */
  readonly has: (address: string) => boolean
  /** Returns the criteria that the outcomes of all choices depend on. */
  readonly readSet: AdditionalReadSetLookup
  /** Compares the choices for a packet that both sides were traced with. Returns undefined for a packet that is not contested. */
  readonly compareRandomChoices: (packet: Packet, results: PacketResults) => ContestedResult | undefined
}

/** The results of a packet on both sides. */
export interface PacketResults {
  readonly equivalence: Equivalence
  readonly a: () => readonly TracePath[]
  readonly b: () => readonly TracePath[]
}

/** The comparison of a contested packet. `contested` means that both sides leave the same choice to chance. */
export interface ContestedResult {
  readonly equivalence: 'contested' | 'other' | 'unknown'
  readonly choices: RandomChoices
}

/** The choices of kube-proxy on both sides; empty for a side on which the packet is not contested. */
export interface RandomChoices {
  readonly a: readonly RandomChoice[]
  readonly b: readonly RandomChoice[]
}

/** A service port that kube-proxy may select, and the outcomes of a packet if it does. */
export interface RandomChoice {
  /** The service port: `shop/web:http/TCP`. */
  readonly servicePort: string
  /** The outcomes, each with its probability. */
  readonly outcomes: Readonly<Record<string, string>>
  /** The timeout of session affinity in seconds; absent without session affinity. */
  readonly affinitySeconds?: number | undefined
}

/** Returns a function that traces a packet on demand. Only the packet is stored, not its paths. */
export function createLazyTrace({ trace }: Pick<ComparisonSide, 'trace'>, packet: Packet): () => readonly TracePath[] {
  return () => trace(packet, createReadSet())
}
