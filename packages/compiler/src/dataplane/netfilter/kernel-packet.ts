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
  /** The incoming interface. Empty for a locally generated packet; absent if the interface is unknown. */
  readonly inInterface?: string | undefined
  /** Whether the packet enters through a bridge port. */
  readonly bridged: Ternary
  readonly mark: number
  /**
   * The cause of the last change of the destination. With `redirectToInterface`, the packet goes to an unknown local
   * address, and the `destination` field contains a placeholder.
   */
  readonly translatedBy?: 'dnat' | 'server' | 'redirect' | 'redirectToInterface' | undefined
  /** The virtual server that accepted the packet. */
  readonly virtualServer?: AddressAndPort | undefined
  /** Whether the source of the packet is replaced with a node address when the packet leaves. */
  readonly masqueraded: boolean
  readonly destinationDecided: NatState
  readonly sourceDecided: NatState
  /** The read set that records the reads of packet fields; undefined if reads are not recorded. */
  readonly readSet?: ReadSet | undefined
  /** The sources that the packet represents; undefined if the packet represents only its own source. */
  readonly equivalents?: EquivalentSources | undefined
  /** The log that records the reads of the destination; undefined if these reads are not recorded. */
  readonly destinationLog?: DestinationReadLog | undefined
}

/**
 * A log of the reads of the destination on a section of the path. If another packet differs only in its destination and
 * has the same results for all these reads, it follows the same path on the section.
 */
export interface DestinationReadLog {
  readonly queries: DestinationRead[]
  /** Whether the destination was rewritten on this section. If true, the log cannot be applied to other packets. */
  isTranslated: boolean
  /** The log of the enclosing section. Undefined for the outermost section. */
  readonly outer: DestinationReadLog | undefined
}

/** A recorded read: the function that read the destination, the packet at that time, and the result. */
export interface DestinationRead {
  readonly packet: KernelPacket
  readonly evaluate: (packet: KernelPacket) => unknown
  readonly result: unknown
}

/**
 * The NAT state of an address: `no` (undecided), a hook name (NAT chains at this hook ran without translating), or
 * `yes` (translated). After a hook without a translation, only further chains at the same hook may translate. Mirrors
 * nf_nat_inet_fn.
 */
export type NatState = 'no' | Hook | 'yes'

export interface AddressAndPort {
  readonly address: string
  readonly port: number
  readonly protocol: string
}

/**
 * Returns the read set for reads of the original destination port. Returns undefined after the destination was
 * translated.
 */
export function portReadSetOf({ readSet, translatedBy }: KernelPacket): ReadSet | undefined {
  return translatedBy === undefined ? readSet : undefined
}

/** The fields to replace if a packet gets another destination. */
type DestinationFields = Pick<KernelPacket, 'destination' | 'destinationPort' | 'destinationLog'>

/**
 * Returns the packet with the given destination fields. All fields are copied explicitly, because object spread takes
 * twice as long.
 */
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

/** Reports whether packets are the same, except for their current destination. */
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

/**
 * Returns a key of a packet on its path. Two packets that started as the same packet have the same key if and only if
 * rules cannot distinguish them.
 */
export function createPacketKey(packet: KernelPacket): string {
  const { destination, destinationPort, inInterface, mark, translatedBy, masqueraded } = packet
  const { virtualServer, destinationDecided, sourceDecided, equivalents } = packet
  const via = virtualServer && `${virtualServer.protocol} ${virtualServer.address} ${virtualServer.port}`
  return [
    `${destination} ${destinationPort} ${inInterface} ${mark} ${translatedBy} ${via}`,
    `${masqueraded} ${destinationDecided} ${sourceDecided} ${equivalents?.id}`,
  ].join(' ')
}
