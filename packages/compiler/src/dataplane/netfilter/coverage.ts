/** The completeness of a partial state. */
export interface StateCoverage {
  /**
   * The ids of the parts that are completely known: a subsystem (`iptables`), a table (`nat`, `nftables ip
   * kube-proxy`), a chain (`nat/KUBE-SERVICES`), a set, or a virtual server. All other content of the state may be
   * incomplete.
   */
  readonly complete: readonly string[]
  /**
   * The ids of chains with rules that do not count as they are. A listing omits match criteria, such as interfaces and
   * the names of ports. After missing text, a rule may belong to a chain of the same name in another table or family.
   */
  readonly truncated?: readonly string[] | undefined
  /**
   * Whether nft listed the rules of iptables: their comments and some of their options are missing. A trace can use such
   * rules, but they cannot be compared.
   */
  readonly isListedByNft?: boolean | undefined
}

/** Functions that report which parts of a state are complete. */
export interface CoverageQueries {
  /**
   * Reports whether at least one of the parts with these ids is complete. Callers pass a chain together with its table,
   * because all chains of a complete table are complete.
   */
  isComplete(...ids: readonly string[]): boolean
  /**
   * Reports whether the resource with this id may affect the path of a packet. Absent if any resource may affect the
   * path.
   */
  isOwned?(id: string): boolean
  /** Reports whether the rules of a chain have all their match criteria and certainly belong to the chain. */
  isUntruncated(chain: string): boolean
}

/** Creates the queries for a partial state. If `fragment` is undefined, the state is complete. */
export function createCoverageQueries(fragment: StateCoverage | undefined): CoverageQueries {
  if (fragment === undefined) return { isComplete: () => true, isUntruncated: () => true }
  const whole = new Set(fragment.complete)
  const hidden = new Set(fragment.truncated)
  return {
    isComplete: (...ids) => ids.some((id) => whole.has(id)),
    isUntruncated: (chain) => !hidden.has(chain),
  }
}
