/**
 * The extent of a partial state. The ids of complete parts are listed here: a subsystem (`iptables`), one of its tables
 * (`nat`, `nftables ip kube-proxy`), a chain (`nat/KUBE-SERVICES`), a set, a virtual server. All other content of the
 * state is incomplete, and everything missing is unknown.
 */
export interface Fragment {
  readonly whole: readonly string[]
  /** The ids of chains with truncated rules: the listing omits match criteria such as interfaces and names of ports. */
  readonly shownInPart?: readonly string[] | undefined
}

/** Queries about the extent of a state. */
export interface Known {
  /** Reports whether one of these parts is complete. A complete table implies complete chains. */
  isWhole(...ids: readonly string[]): boolean
  /** Reports whether the resource with an id may affect the path of a packet. Absent: any resource may. */
  isOurs?(id: string): boolean
  /** Reports whether rules of a chain are shown with all match criteria. */
  showsAll(chain: string): boolean
}

/** Creates the queries for an extent. A state without a fragment is complete. */
export function knownIn(fragment: Fragment | undefined): Known {
  if (fragment === undefined) return { isWhole: () => true, showsAll: () => true }
  const whole = new Set(fragment.whole)
  const hidden = new Set(fragment.shownInPart)
  return {
    isWhole: (...ids) => ids.some((id) => whole.has(id)),
    showsAll: (chain) => !hidden.has(chain),
  }
}
