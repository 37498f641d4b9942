import type { IpFamily } from '@kube-rules/types'
import type { Alike } from './alike.js'
import type { Asked } from './asked.js'
import type { Hook } from './hooks.js'
import type { Truth } from './truth.js'

/** The first packet of a connection on its way through the kernel. */
export interface KernelPacket {
  readonly family: IpFamily
  /** `tcp`, `udp` or `sctp`. */
  readonly protocol: string
  readonly source: string
  readonly sourcePort?: number | undefined
  readonly destination: string
  readonly destinationPort: number
  /** Where it comes in; empty for packets made on the node, absent where that is not known. */
  readonly inInterface?: string | undefined
  /** Whether it comes in by a port of a bridge. */
  readonly bridged: Truth
  readonly mark: number
  /**
   * What has changed its destination. With `redirectToInterface` it is one of the node's own addresses, but nobody can tell
   * which: `destination` only stands for it.
   */
  readonly translatedBy?: 'dnat' | 'server' | 'redirect' | 'redirectToInterface' | undefined
  /** The virtual server that has taken it. */
  readonly virtualServer?: Place | undefined
  /** Its source becomes an address of the node when it leaves. */
  readonly masqueraded: boolean
  readonly destinationDecided: Decided
  readonly sourceDecided: Decided
  /** Where rules write down what they ask; undefined where nobody wants to know. */
  readonly asked?: Asked | undefined
  /** Whose packets it stands for; undefined where only for that of its source. */
  readonly alike?: Alike | undefined
  /** Where it is written down what its destination is asked; undefined where nobody wants to know. */
  readonly destinationLog?: DestinationLog | undefined
}

/**
 * What the destination of a packet is asked on a part of its way. A packet that differs in nothing but its destination, and gives
 * the same answers, goes the same way there.
 */
export interface DestinationLog {
  readonly questions: DestinationQuestion[]
  /** Whether the packet was given another destination on the way, which tells nothing of others. */
  isTranslated: boolean
  /** That of a longer part of the way, which has this one in it. */
  readonly outer: DestinationLog | undefined
}

/** Asked of the packet as it was there. */
export interface DestinationQuestion {
  readonly packet: KernelPacket
  readonly ask: (packet: KernelPacket) => unknown
  readonly answer: unknown
}

/**
 * Whether it is settled for the connection what an address is translated to: `yes` once it has been; by whoever else translates
 * at the same hook, where somebody there was asked in vain; at a later hook nobody is asked again.
 */
export type Decided = 'no' | Hook | 'yes'

export interface Place {
  readonly address: string
  readonly port: number
  readonly protocol: string
}

/** Where to write down what is asked of the destination port that the packet came with; undefined once it is another one. */
export function askedOfPort({ asked, translatedBy }: KernelPacket): Asked | undefined {
  return translatedBy === undefined ? asked : undefined
}

/** What a packet is given when it is to stand for one with another destination. */
type DestinationFields = Pick<KernelPacket, 'destination' | 'destinationPort' | 'destinationLog'>

/** The packet as it would be with another destination. Written field by field: spreading takes twice as long. */
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
    asked: packet.asked,
    alike: packet.alike,
    destinationLog,
  } satisfies Record<keyof KernelPacket, unknown>
}

/** Whether packets have all in common but the destination that they have by now. */
export function areAlikeBesideDestination(a: KernelPacket, b: KernelPacket): boolean {
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
    a.asked === b.asked &&
    a.alike === b.alike
  )
}

/** A text that two packets share if and only if rules cannot tell them apart: for packets that began as the same. */
export function packetKey(packet: KernelPacket): string {
  const { destination, destinationPort, inInterface, mark, translatedBy, masqueraded } = packet
  const { virtualServer, destinationDecided, sourceDecided, alike } = packet
  const via = virtualServer && `${virtualServer.protocol} ${virtualServer.address} ${virtualServer.port}`
  return [
    `${destination} ${destinationPort} ${inInterface} ${mark} ${translatedBy} ${via}`,
    `${masqueraded} ${destinationDecided} ${sourceDecided} ${alike?.id}`,
  ].join(' ')
}
