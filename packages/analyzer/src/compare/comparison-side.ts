import type { EquivalentSources } from '../program/equivalent-sources.js'
import {
  createReadSet,
  type MatchedDestination,
  type ReadSet,
} from '../program/read-set.js'
import type { Ternary } from '@kube-rules/compiler/internal/dataplane/netfilter/ternary'
import type { IpFamily, Packet, Protocol } from '@kube-rules/types'
import type { StatePartition } from '../dataplane/netfilter/parts.js'
import type { SharedPathEnd, TracePath } from '../trace/trace-paths.js'
import type { AddressRange } from '../program/address-range.js'

/** One of the two compared rulesets. */
export interface ComparisonSide {
  readonly trace: (packet: Packet, readSet: ReadSet) => readonly TracePath[]
  readonly traceSharedPaths: (
    packet: Packet,
    equivalents: EquivalentSources,
    readSet: ReadSet,
  ) => readonly SharedPathEnd[]
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
}

/** Returns a function that traces a packet on demand. Only the packet is stored, not its paths. */
export function createLazyTrace({ trace }: Pick<ComparisonSide, 'trace'>, packet: Packet): () => readonly TracePath[] {
  return () => trace(packet, createReadSet())
}
