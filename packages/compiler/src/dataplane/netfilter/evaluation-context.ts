import type { CoverageQueries } from './coverage.js'
import type { KernelPacket } from './kernel-packet.js'
import type { Ternary } from './ternary.js'

/** The facts that determine the path of a packet in addition to the rules. */
export interface EvaluationContext {
  /** The extent of the state; absent if it is complete. */
  readonly coverage?: CoverageQueries | undefined
  /**
   * Reports whether the chain with this id (`nat/KUBE-MARK-DROP`) belongs to another program, so that it may exist
   * although the state does not contain it. Absent if there is no such chain.
   */
  isLeftOut?(id: string): boolean
  /** Reports whether an address is local. */
  isLocal(address: string): Ternary
  /**
   * Reports whether a set contains the fields of the packet that `directions` select: `dst,dst` means destination and
   * destination port.
   */
  inSet(name: string, directions: readonly SetDirection[], packet: KernelPacket): Ternary
  /**
   * Returns the age in seconds of the entry of an address in a `-m recent` list; undefined if the list has no such
   * entry.
   */
  secondsSinceSeen(list: string, address: string): number | undefined
  /**
   * Returns the real server (`10.1.0.1:80`) of the persistence entry of a client at `10.96.0.1:80/TCP`; undefined
   * without such an entry.
   */
  persistentServer(virtualServer: string, client: string): string | undefined
}

export type SetDirection = 'src' | 'dst'
