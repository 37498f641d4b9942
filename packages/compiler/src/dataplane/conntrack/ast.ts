import type { IpFamily } from '@kube-rules/types'

/** A filter for entries of kernel connection tracking. An entry must match every field. */
export type ConntrackEntryFilter =
  | ConntrackEntriesToIp
  | ConntrackEntriesToPort
  | ConntrackEntriesWithNat
  | ConntrackEntriesToPortWithNat

export interface ConntrackEntryFields {
  readonly family: IpFamily
  /** The protocol in conntrack notation. */
  readonly protocol: 'tcp' | 'udp' | 'sctp'
}

export interface ConntrackEntriesToIp extends ConntrackEntryFields {
  readonly kind: 'ip'
  /** The destination address of the first packet, before DNAT. */
  readonly originalDestination: string
}

export interface ConntrackEntriesToPort extends ConntrackEntryFields {
  readonly kind: 'port'
  /** The destination port of the first packet, before DNAT. */
  readonly destinationPort: number
}

export interface ConntrackEntriesWithNat extends ConntrackEntryFields {
  readonly kind: 'nat'
  readonly originalDestination: string
  /** The destination after DNAT. */
  readonly natDestination: string
}

export interface ConntrackEntriesToPortWithNat extends ConntrackEntryFields {
  readonly kind: 'portnat'
  readonly destinationPort: number
  readonly natDestination: string
}

/** One UDP entry of a conntrack table. */
export interface ConntrackEntry {
  /** The address family. */
  readonly family: IpFamily
  /** The destination of the first packet. */
  readonly originalDestination: string
  /** The destination port of the first packet. */
  readonly originalDestinationPort: number
  /** The source of the replies: the endpoint, after DNAT. */
  readonly replySource: string
  /** The source port of the replies. */
  readonly replySourcePort: number
}
