import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { Ternary } from '@kube-rules/compiler/internal/dataplane/netfilter/ternary'
import type { IpFamily } from '@kube-rules/types'

/** The first packet of a connection on its path through the kernel. */
export interface KernelPacket {
  readonly family: IpFamily
  /** `tcp`, `udp` or `sctp`. */
  readonly protocol: string
  readonly source: string
  /**
   * Whether the source address is unknown, also because the packet is masqueraded. The `source` field then contains an
   * example, or the source before. Absent if the source is known.
   */
  readonly isSourceUnknown?: boolean | undefined
  readonly sourcePort: number | undefined
  readonly destination: string
  readonly destinationPort: number
  /** The destination at the start of the path. */
  readonly originalDestination: string
  readonly originalDestinationPort: number
  /** The incoming interface. Empty for a locally generated packet; undefined if the interface is unknown. */
  readonly inInterface: string | undefined
  /** Whether a process on the node sent the packet. */
  readonly sentByNode: boolean
  /** Whether the packet enters through a bridge port. */
  readonly bridged: Ternary
  readonly mark: number
  readonly connectionMark: number
  /** The bits of the marks that are unknown. These bits are 0 in the marks. Absent if all bits are known. */
  readonly unknownMark?: number | undefined
  readonly unknownConnectionMark?: number | undefined
  /** Whether the connection is not tracked. No address of an untracked packet is translated. */
  readonly untracked: boolean
  /**
   * The cause of the last change of the destination. With `redirectToInterface`, the packet goes to an unknown local
   * address, and the `destination` field contains a placeholder.
   */
  readonly translatedBy: 'dnat' | 'server' | 'redirect' | 'redirectToInterface' | undefined
  /** The virtual server that accepted the packet. */
  readonly virtualServer: VirtualServerAddress | undefined
  /** Whether the source of the packet is replaced with a node address when the packet leaves. */
  readonly masqueraded: boolean
  readonly destinationDecided: NatState
  readonly sourceDecided: NatState
}

/**
 * The NAT state of an address: `no` (undecided), a hook name (NAT chains at this hook ran without translating), or
 * `yes` (translated). After a hook without a translation, only further chains at the same hook may translate. Mirrors
 * nf_nat_inet_fn.
 */
export type NatState = 'no' | Hook | 'yes'

export interface VirtualServerAddress {
  readonly address: string
  readonly port: number
  readonly protocol: string
}

/**
 * Returns the packet with another destination. Copies the fields explicitly, because spreading packets of several shapes
 * would take a tenth of the time of a trace.
 */
export function sendPacketTo(
  packet: KernelPacket,
  destination: string,
  destinationPort: number,
  translatedBy: KernelPacket['translatedBy'] = packet.translatedBy,
): KernelPacket {
  return {
    family: packet.family,
    protocol: packet.protocol,
    source: packet.source,
    isSourceUnknown: packet.isSourceUnknown,
    sourcePort: packet.sourcePort,
    destination,
    destinationPort,
    originalDestination: packet.originalDestination,
    originalDestinationPort: packet.originalDestinationPort,
    inInterface: packet.inInterface,
    sentByNode: packet.sentByNode,
    bridged: packet.bridged,
    mark: packet.mark,
    connectionMark: packet.connectionMark,
    unknownMark: packet.unknownMark,
    unknownConnectionMark: packet.unknownConnectionMark,
    untracked: packet.untracked,
    translatedBy,
    virtualServer: packet.virtualServer,
    masqueraded: packet.masqueraded,
    destinationDecided: packet.destinationDecided,
    sourceDecided: packet.sourceDecided,
  }
}

/**
 * Returns a key of a packet on its path. Two packets that started as the same packet have the same key if and only if
 * rules cannot distinguish them.
 */
export function createPacketKey(packet: KernelPacket): string {
  const { destination, destinationPort, inInterface, mark, connectionMark, untracked, translatedBy } = packet
  const { masqueraded, virtualServer, destinationDecided, sourceDecided, unknownMark, unknownConnectionMark } = packet
  const via = virtualServer && `${virtualServer.protocol} ${virtualServer.address} ${virtualServer.port}`
  return [
    `${destination} ${destinationPort} ${inInterface} ${mark} ${connectionMark} ${untracked}`,
    `${translatedBy} ${via} ${masqueraded} ${destinationDecided} ${sourceDecided}`,
    `${unknownMark} ${unknownConnectionMark}`,
  ].join(' ')
}

/** Reports whether a nat chain changed the destination. The kernel ignores a translation that changes nothing. */
export function hasNewDestination(packet: KernelPacket): boolean {
  const { translatedBy, destination, destinationPort, originalDestination, originalDestinationPort } = packet
  if (translatedBy === undefined || translatedBy === 'server') return false
  return destination !== originalDestination || destinationPort !== originalDestinationPort
}
