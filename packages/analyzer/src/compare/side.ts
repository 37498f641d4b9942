import type { EquivalentSources } from '@kube-rules/compiler/internal/dataplane/netfilter/equivalent-sources'
import {
  createReadSet,
  type MatchedDestination,
  type ReadSet,
} from '@kube-rules/compiler/internal/dataplane/netfilter/read-set'
import type { Ternary } from '@kube-rules/compiler/internal/dataplane/netfilter/ternary'
import type { IpFamily, Packet, Protocol } from '@kube-rules/types'
import type { StateParts } from '../dataplane/netfilter/parts.js'
import type { SharedPathEnd, TracePath } from '../trace/trace-paths.js'
import type { NumberRange } from './address-range.js'

/** One of the two compared rulesets. */
export interface Side {
  readonly trace: (packet: Packet, readSet: ReadSet) => readonly TracePath[]
  readonly traceSharedPaths: (
    packet: Packet,
    equivalents: EquivalentSources,
    readSet: ReadSet,
  ) => readonly SharedPathEnd[]
  readonly isLocal: (address: string) => Ternary
  readonly destinations: readonly MatchedDestination[]
  /** The state of this side, split into the content of each owner. Absent if the state cannot be split. */
  readonly parts?: StateParts | undefined
  /**
   * Returns criteria that distinguish packets to an address and port in addition to the rules. Default: no additional
   * criteria.
   */
  readonly planReadSet?: AdditionalReadSetFinder | undefined
}

/** Returns the source addresses and interface names to distinguish, as in `ReadSet`. */
export type AdditionalReadSetFinder = (
  destination: string,
  protocol: Protocol,
  port: number,
) => { readonly sources: readonly string[]; readonly interfaces: readonly string[] }

export interface Sides {
  readonly family: IpFamily
  readonly a: Side
  readonly b: Side
  /** The addresses of the node; undefined if unknown. */
  readonly addresses: readonly string[] | undefined
  /** Returns the range of addresses in an address, network or range. Undefined for another family. */
  readonly rangeOf: (text: string) => NumberRange | undefined
}

/** Returns a function that traces a packet on demand. Only the packet is stored, not its paths. */
export function createLazyTrace({ trace }: Pick<Side, 'trace'>, packet: Packet): () => readonly TracePath[] {
  return () => trace(packet, createReadSet())
}
