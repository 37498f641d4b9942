import type { CoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import type { Literal } from './program.js'

/** The parts of a state that the lowering of another subsystem needs. */
export interface StateContext {
  /** The completeness of the state; absent if the state is complete. */
  readonly coverage?: CoverageQueries | undefined
  /**
   * Reports whether the chain with this id (`nat/KUBE-MARK-DROP`) belongs to another program, and may exist even if the
   * state does not contain it.
   */
  readonly isLeftOut: (id: string) => boolean
  /**
   * Returns the condition that an ipset contains the fields that `directions` select. For example, `dst,dst` selects the
   * destination and the destination port.
   */
  readonly lookUpSet: (name: string, directions: readonly ('src' | 'dst')[]) => Literal
}
