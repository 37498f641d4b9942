import type { IpFamily } from '@kube-rules/types'
import type { Field } from '../../../program/program.js'

/** The value of a selector for the first packet of a connection. */
export type SelectorMeaning =
  | { readonly kind: 'field'; readonly field: PacketField }
  | { readonly kind: 'interface'; readonly direction: 'in' | 'out' }
  /** The state of the connection, as one bit. */
  | { readonly kind: 'state' }
  /** The status of the connection, as bits. */
  | { readonly kind: 'status' }
  /** The same number for every first packet. Bits outside `knownBits` are unknown. */
  | { readonly kind: 'known'; readonly value: number; readonly knownBits?: number | undefined }
  /** A number for each family. */
  | { readonly kind: 'family'; readonly numbers: Readonly<Record<IpFamily, number>> }
  /** The type of an address. With `atInterface`, an address of another interface is not local. */
  | { readonly kind: 'addressType'; readonly side: 'source' | 'destination'; readonly atInterface: boolean }
  /** No first packet has a value. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown' }

/** A field of a packet with individual texts or numbers as values. */
export type PacketField = Exclude<Field, 'inInterface' | 'unknown'>

/**
 * A requirement of a selector: a packet without it has no value. A rule with the selector does not match any other packet, even
 * if the rule compares with `!=`.
 */
export type SelectorNeed =
  | { readonly kind: 'family'; readonly family: IpFamily }
  | { readonly kind: 'protocol'; readonly protocol: string }
  /** A tracked connection. */
  | { readonly kind: 'connection' }
  /** A process on the node that sends the packet. */
  | { readonly kind: 'sender' }

/** A selector of nft(8). */
export interface SelectorRow {
  /** The words of the selector: `tcp dport`. */
  readonly selector: string
  /** The type of its values, in the notation of set types. */
  readonly type: string
  readonly needs: readonly SelectorNeed[]
  readonly meaning: SelectorMeaning
  /** Why the value is known or unknown. */
  readonly reason: string
}

export const IPV4: SelectorNeed = { kind: 'family', family: 'IPv4' }
export const IPV6: SelectorNeed = { kind: 'family', family: 'IPv6' }
export const CONNECTION: SelectorNeed = { kind: 'connection' }
export const SENDER: SelectorNeed = { kind: 'sender' }

export const UNKNOWN_VALUE: SelectorMeaning = { kind: 'unknown' }
export const NO_VALUE: SelectorMeaning = { kind: 'absent' }

export function needProtocol(protocol: string): SelectorNeed {
  return { kind: 'protocol', protocol }
}

export function readField(field: PacketField): SelectorMeaning {
  return { kind: 'field', field }
}

export function knownNumber(value: number, knownBits?: number): SelectorMeaning {
  return { kind: 'known', value, knownBits }
}

/** The selector, the type of its values, their meaning and the reason. */
export type SelectorEntry = readonly [selector: string, type: string, meaning: SelectorMeaning, reason: string]

/** Creates rows for selectors with the same needs. */
export function selectorRows(
  needs: readonly SelectorNeed[],
  entries: readonly SelectorEntry[],
): readonly SelectorRow[] {
  return entries.map(([selector, type, meaning, reason]) => ({ selector, type, needs, meaning, reason }))
}

/** Creates rows for several fields of a header with the same meaning. `fields` are separated by spaces. */
export function fieldRows(
  header: string,
  fields: string,
  needs: readonly SelectorNeed[],
  meaning: SelectorMeaning,
  reason: string,
): readonly SelectorRow[] {
  return fields.split(' ').map((field) => ({ selector: `${header} ${field}`, type: 'integer', needs, meaning, reason }))
}
