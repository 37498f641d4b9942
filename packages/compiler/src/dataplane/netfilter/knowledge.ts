import type { Known } from './fragment.js'
import type { KernelPacket } from './kernel-packet.js'
import type { Truth } from './truth.js'

/** What the way of a packet depends on beside the rules. */
export interface Knowledge {
  /** What of the state is known; absent: all of it. */
  readonly known?: Known | undefined
  /** Whether an address is one of the node's own. */
  isLocal(address: string): Truth
  /** Whether the sets hold what `directions` pick of the packet: `dst,dst` is destination and destination port. */
  inSet(name: string, directions: readonly SetDirection[], packet: KernelPacket): Truth
  /** How many seconds ago the address was last put on a list of `-m recent`; undefined for never. */
  secondsSinceSeen(list: string, address: string): number | undefined
  /** The real server (`10.1.0.1:80`) that persistence binds a client of `10.96.0.1:80/TCP` to; undefined for none. */
  persistentServer(virtualServer: string, client: string): string | undefined
}

export type SetDirection = 'src' | 'dst'
