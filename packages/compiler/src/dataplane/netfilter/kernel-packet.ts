import type { IpFamily } from '@kube-rules/types'
import type { EquivalentSources } from './equivalent-sources.js'
import type { Hook } from './hooks.js'
import type { ReadSet } from './read-set.js'
import type { Ternary } from './ternary.js'

/** The first packet of a connection on its path through the kernel. */
export interface KernelPacket {
  readonly family: IpFamily
  /** `tcp`, `udp` or `sctp`. */
  readonly protocol: string
  readonly source: string
  readonly sourcePort?: number | undefined
  readonly destination: string
  readonly destinationPort: number
  /** The incoming interface; empty for locally generated packets, absent if unknown. */
  readonly inInterface?: string | undefined
  /** Whether it enters through a bridge port. */
  readonly bridged: Ternary
  readonly mark: number
  /**
   * The cause of the last change of its destination. With `redirectToInterface`, the destination is an unknown local
   * address, and `destination` a placeholder.
   */
  readonly translatedBy?: 'dnat' | 'server' | 'redirect' | 'redirectToInterface' | undefined
  /** The virtual server that accepted it. */
  readonly virtualServer?: AddressAndPort | undefined
  /** Whether its source is replaced by a node address when it leaves. */
  readonly masqueraded: boolean
  readonly destinationDecided: TranslationState
  readonly sourceDecided: TranslationState
  /** The read set to record to; undefined if none is recorded. */
  readonly readSet?: ReadSet | undefined
  /** The sources that it represents; undefined if it represents only itself. */
  readonly equivalents?: EquivalentSources | undefined
  /** The log of destination reads; undefined if none is recorded. */
  readonly destinationLog?: DestinationReadLog | undefined
}

/**
 * A log of the reads of a destination on a section of the path. A packet that differs only in its destination, with
 * equal results of all these reads, follows the same path there.
 */
export interface DestinationReadLog {
  readonly queries: DestinationRead[]
  /** Whether the destination was rewritten on this section, so that the log applies to no other packet. */
  isTranslated: boolean
  /** The log of an enclosing section. */
  readonly outer: DestinationReadLog | undefined
}

/** A recorded read: the function, and the packet at that time. */
export interface DestinationRead {
  readonly packet: KernelPacket
  readonly evaluate: (packet: KernelPacket) => unknown
  readonly result: unknown
}

/**
 * NAT state of an address: `no` = undecided, a hook name = NAT chains at that hook ran without translating, `yes` =
 * translated. After a hook without a translation, only further chains at the same hook may translate. Mirrors
 * nf_nat_inet_fn.
 */
export type TranslationState = 'no' | Hook | 'yes'

export interface AddressAndPort {
  readonly address: string
  readonly port: number
  readonly protocol: string
}

/** Returns the read set for the original destination port; undefined after a translation. */
export function portReadSetOf({ readSet, translatedBy }: KernelPacket): ReadSet | undefined {
  return translatedBy === undefined ? readSet : undefined
}

/** The fields to replace for another destination. */
type DestinationFields = Pick<KernelPacket, 'destination' | 'destinationPort' | 'destinationLog'>

/** Returns the packet with another destination. Fields are copied explicitly, because spreading takes twice as long. */
export function withDestinationOf(
  packet: KernelPacket,
  { destination, destinationPort, destinationLog }: DestinationFields,
): KernelPacket {
  return {
    family: packet.family,
    protocol: packet.protocol,
    source: packet.source,
    sourcePort: packet.sourcePort,
    destination,
    destinationPort,
    inInterface: packet.inInterface,
    bridged: packet.bridged,
    mark: packet.mark,
    translatedBy: packet.translatedBy,
    virtualServer: packet.virtualServer,
    masqueraded: packet.masqueraded,
    destinationDecided: packet.destinationDecided,
    sourceDecided: packet.sourceDecided,
    readSet: packet.readSet,
    equivalents: packet.equivalents,
    destinationLog,
  } satisfies Record<keyof KernelPacket, unknown>
}

/** Reports whether packets are equal except for their current destination. */
export function areEqualExceptDestination(a: KernelPacket, b: KernelPacket): boolean {
  return (
    a.family === b.family &&
    a.protocol === b.protocol &&
    a.source === b.source &&
    a.sourcePort === b.sourcePort &&
    a.inInterface === b.inInterface &&
    a.bridged === b.bridged &&
    a.mark === b.mark &&
    a.translatedBy === b.translatedBy &&
    a.virtualServer === b.virtualServer &&
    a.masqueraded === b.masqueraded &&
    a.destinationDecided === b.destinationDecided &&
    a.sourceDecided === b.sourceDecided &&
    a.readSet === b.readSet &&
    a.equivalents === b.equivalents
  )
}

/** Returns a key: two packets with the same origin have equal keys if and only if rules cannot distinguish them. */
export function packetKey(packet: KernelPacket): string {
  const { destination, destinationPort, inInterface, mark, translatedBy, masqueraded } = packet
  const { virtualServer, destinationDecided, sourceDecided, equivalents } = packet
  const via = virtualServer && `${virtualServer.protocol} ${virtualServer.address} ${virtualServer.port}`
  return [
    `${destination} ${destinationPort} ${inInterface} ${mark} ${translatedBy} ${via}`,
    `${masqueraded} ${destinationDecided} ${sourceDecided} ${equivalents?.id}`,
  ].join(' ')
}
