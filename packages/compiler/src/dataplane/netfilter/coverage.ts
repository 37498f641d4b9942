/**
 * The extent of a partial state. `complete` contains the ids of the complete parts: a subsystem (`iptables`), a table
 * (`nat`, `nftables ip kube-proxy`), a chain (`nat/KUBE-SERVICES`), a set, or a virtual server. All other content of
 * the state may be incomplete.
 */
export interface StateCoverage {
  readonly complete: readonly string[]
  /**
   * The ids of chains with truncated rules. The listing of such a chain omits match criteria, such as interfaces and
   * the names of ports.
   */
  readonly truncated?: readonly string[] | undefined
}

/** Queries about the extent of a state. */
export interface CoverageQueries {
  /** Reports whether at least one of these parts is complete. A complete table implies complete chains. */
  isComplete(...ids: readonly string[]): boolean
  /**
   * Reports whether the resource with this id may affect the path of a packet. Absent if any resource may affect the
   * path.
   */
  isOwned?(id: string): boolean
  /** Reports whether rules of a chain are shown with all match criteria. */
  isUntruncated(chain: string): boolean
}

/** Creates the queries for the extent of a state. If the extent is undefined, the state is complete. */
export function createCoverageQueries(fragment: StateCoverage | undefined): CoverageQueries {
  if (fragment === undefined) return { isComplete: () => true, isUntruncated: () => true }
  const whole = new Set(fragment.complete)
  const hidden = new Set(fragment.truncated)
  return {
    isComplete: (...ids) => ids.some((id) => whole.has(id)),
    isUntruncated: (chain) => !hidden.has(chain),
  }
}
