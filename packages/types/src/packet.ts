import type { Protocol } from './protocol.js'

/** The origin of a packet: the node itself, a pod, or an external sender. */
export type Origin = 'pod' | 'node' | 'outside'

/** The first packet of a connection as it reaches the node. Addresses are canonical text, ports 1 to 65535. */
export interface Packet {
  readonly origin: Origin
  readonly protocol: Protocol
  readonly source: string
  readonly sourcePort?: number | undefined
  readonly destination: string
  readonly destinationPort: number
  /** The interface it arrives on; absent for packets locally generated, and where it does not matter. */
  readonly inInterface?: string | undefined
}
