import type { IpFamily } from '@kube-rules/types'

/** Which entries of the kernel's connection tracking are meant: all to which everything said here applies. */
export type ConntrackEntryFilter =
  | ConntrackEntriesToIp
  | ConntrackEntriesToPort
  | ConntrackEntriesWithNat
  | ConntrackEntriesToPortWithNat

export interface ConntrackEntryFields {
  readonly family: IpFamily
  /** As the conntrack tool spells it. */
  readonly protocol: 'tcp' | 'udp' | 'sctp'
}

export interface ConntrackEntriesToIp extends ConntrackEntryFields {
  readonly kind: 'ip'
  /** Where the first packet was sent. */
  readonly originalDestination: string
}

export interface ConntrackEntriesToPort extends ConntrackEntryFields {
  readonly kind: 'port'
  /** The port the first packet was sent to. */
  readonly destinationPort: number
}

export interface ConntrackEntriesWithNat extends ConntrackEntryFields {
  readonly kind: 'nat'
  readonly originalDestination: string
  /** Where DNAT sends it instead. */
  readonly natDestination: string
}

export interface ConntrackEntriesToPortWithNat extends ConntrackEntryFields {
  readonly kind: 'portnat'
  readonly destinationPort: number
  readonly natDestination: string
}
