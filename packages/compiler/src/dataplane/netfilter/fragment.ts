/**
 * What of a node is known, where it is not the whole. The parts that are all there have their ids here: a language
 * (`iptables`), a table of it (`nat`, `nftables ip kube-proxy`), a chain (`nat/KUBE-SERVICES`), a set, a virtual server. What a
 * state holds beside them lacks something, and of what it does not hold nobody knows.
 */
export interface Fragment {
  readonly whole: readonly string[]
  /** The ids of chains whose rules may ask for more than the listing shows that they are from: interfaces, names of ports. */
  readonly shownInPart?: readonly string[] | undefined
}

/** Answers of what is known and what is not, for many questions. */
export interface Known {
  /** Whether nothing is missing of one of these parts: whoever has all of a table has all of its chains. */
  isWhole(...ids: readonly string[]): boolean
  /** Whether the thing with an id is one on which it depends where packets go, as far as anybody asks. Absent: any may be. */
  isOurs?(id: string): boolean
  /** Whether rules of a chain are shown with all that they ask for. */
  showsAll(chain: string): boolean
}

/** Of a state that is no fragment everything is known. */
export function knownIn(fragment: Fragment | undefined): Known {
  if (fragment === undefined) return { isWhole: () => true, showsAll: () => true }
  const whole = new Set(fragment.whole)
  const hidden = new Set(fragment.shownInPart)
  return {
    isWhole: (...ids) => ids.some((id) => whole.has(id)),
    showsAll: (chain) => !hidden.has(chain),
  }
}
