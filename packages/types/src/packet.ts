import type { Protocol } from './protocol.js'

/** The origin of a packet: the node itself, a pod, or an external sender. */
export type Origin = 'pod' | 'node' | 'outside'

/**
 * The first packet of a connection as it reaches the node. Addresses are canonical text; ports are whole numbers from
 * 0 to 65535.
 */
export interface Packet {
  /** The origin of the packet. It determines where the packet enters the rules. */
  readonly origin: Origin
  /** The protocol. */
  readonly protocol: Protocol
  /** The source address in canonical form, such as `fd00::a`. */
  readonly source: string
  /** Whether `source` is only an example, so that no rule for a source address can be evaluated. Default: false. */
  readonly isSourceUnknown?: boolean | undefined
  /** The source port. If absent, any source port is possible. */
  readonly sourcePort?: number | undefined
  /** The destination address in canonical form, such as `fd00::a`. */
  readonly destination: string
  /** The destination port. */
  readonly destinationPort: number
  /** The incoming interface; absent for locally generated packets, and if it does not matter. */
  readonly inInterface?: string | undefined
}
