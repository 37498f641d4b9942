import type { Protocol } from './protocol.js'

/** Where a packet enters the node's rules: made on the node itself, sent by a pod, or come from elsewhere. */
export type Origin = 'pod' | 'node' | 'outside'

/** The first packet of a connection as it reaches the node. Addresses are canonical text, ports 1 to 65535. */
export interface Packet {
  readonly origin: Origin
  readonly protocol: Protocol
  readonly source: string
  readonly sourcePort?: number | undefined
  readonly destination: string
  readonly destinationPort: number
  /** The interface it arrives on; absent for packets made on the node, and where it does not matter. */
  readonly inInterface?: string | undefined
}
