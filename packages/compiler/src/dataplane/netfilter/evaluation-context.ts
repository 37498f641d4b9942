import type { CoverageQueries } from './coverage.js'
import type { KernelPacket } from './kernel-packet.js'
import type { Ternary } from './ternary.js'

/** The facts that determine the path of a packet in addition to the rules. */
export interface EvaluationContext {
  /** The completeness of the state; absent if the state is complete. */
  readonly coverage?: CoverageQueries | undefined
  /**
   * Reports whether the chain with this id (`nat/KUBE-MARK-DROP`) belongs to another program. If true, the chain may
   * exist even if the state does not contain it. Absent if no chain belongs to another program.
   */
  isLeftOut?(id: string): boolean
  /** Reports whether an address is local. */
  isLocal(address: string): Ternary
  /**
   * Reports whether a set contains the packet fields that `directions` select. For example, `dst,dst` selects the
   * destination and the destination port.
   */
  inSet(name: string, directions: readonly SetDirection[], packet: KernelPacket): Ternary
  /**
   * Returns the number of seconds since an address was last seen in a list (`-m recent`). Returns undefined if the list
   * has no entry for the address.
   */
  secondsSinceSeen(list: string, address: string): number | undefined
  /**
   * Returns the real server (`10.1.0.1:80`) in the persistence entry of a client for a virtual server
   * (`10.96.0.1:80/TCP`). Returns undefined without such an entry.
   */
  persistentServer(virtualServer: string, client: string): string | undefined
}

export type SetDirection = 'src' | 'dst'
