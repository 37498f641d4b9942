import type { Alike } from '@kube-rules/compiler/internal/dataplane/netfilter/alike'
import { type Asked, nothingAsked, type Place } from '@kube-rules/compiler/internal/dataplane/netfilter/asked'
import type { Truth } from '@kube-rules/compiler/internal/dataplane/netfilter/truth'
import type { IpFamily, Packet, Protocol } from '@kube-rules/types'
import type { StateParts } from '../dataplane/netfilter/parts.js'
import type { SharedEnd, Way } from '../trace/trace-ways.js'
import type { NumberRange } from './address-range.js'

/** One of two rule sets that are compared. */
export interface Side {
  readonly trace: (packet: Packet, asked: Asked) => readonly Way[]
  readonly traceShared: (packet: Packet, alike: Alike, asked: Asked) => readonly SharedEnd[]
  readonly isLocal: (address: string) => Truth
  readonly places: readonly Place[]
  /** What it is made of; absent where that cannot be told. */
  readonly parts?: StateParts | undefined
  /** What packets to a place are told apart by beside what the rules ask. Absent: nothing. */
  readonly alsoAsked?: AlsoAsked | undefined
}

/** Sources and names of interfaces, as in `Asked`. */
export type AlsoAsked = (
  destination: string,
  protocol: Protocol,
  port: number,
) => { readonly sources: readonly string[]; readonly interfaces: readonly string[] }

export interface Sides {
  readonly family: IpFamily
  readonly a: Side
  readonly b: Side
  /** The node's own addresses; undefined where they are not known. */
  readonly addresses: readonly string[] | undefined
  /** The addresses that a text stands for; undefined where it is not of the family. */
  readonly rangeOf: (text: string) => NumberRange | undefined
}

/** The ways of a packet on a side, traced when they are asked for: nothing else is kept for that. */
export function waysOf({ trace }: Pick<Side, 'trace'>, packet: Packet): () => readonly Way[] {
  return () => trace(packet, nothingAsked())
}
