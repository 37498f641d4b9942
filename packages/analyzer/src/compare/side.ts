import type { Alike } from '@kube-rules/compiler/internal/dataplane/netfilter/alike'
import { type Asked, nothingAsked, type Place } from '@kube-rules/compiler/internal/dataplane/netfilter/asked'
import type { Truth } from '@kube-rules/compiler/internal/dataplane/netfilter/truth'
import type { IpFamily, Packet, Protocol } from '@kube-rules/types'
import type { StateParts } from '../dataplane/netfilter/parts.js'
import type { SharedEnd, Way } from '../trace/trace-ways.js'
import type { NumberRange } from './address-range.js'

/** One of the two compared rulesets. */
export interface Side {
  readonly trace: (packet: Packet, asked: Asked) => readonly Way[]
  readonly traceShared: (packet: Packet, alike: Alike, asked: Asked) => readonly SharedEnd[]
  readonly isLocal: (address: string) => Truth
  readonly places: readonly Place[]
  /** What it is made of; absent where undetermined. */
  readonly parts?: StateParts | undefined
  /** Further criteria that distinguish packets to an address and port, in addition to the rules. Default: none. */
  readonly alsoAsked?: AlsoAsked | undefined
}

/** Returns sources and interface names, as in `Asked`. */
export type AlsoAsked = (
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
  /** Returns the addresses that a text denotes; undefined if it is not of the family. */
  readonly rangeOf: (text: string) => NumberRange | undefined
}

/** Returns a function that traces a packet on demand, so that only the packet is stored. */
export function waysOf({ trace }: Pick<Side, 'trace'>, packet: Packet): () => readonly Way[] {
  return () => trace(packet, nothingAsked())
}
