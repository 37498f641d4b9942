/**
 * What of a node is known, where it is not the whole. The parts that are all there have their ids here: a language
 * (`iptables`), a table of it (`nat`, `nftables ip kube-proxy`), a chain (`nat/KUBE-SERVICES`), a set, a virtual server. What a
 * state holds beside them lacks something, and of what it does not hold nobody knows.
 */
export interface Fragment {
  readonly whole: readonly string[]
  /** The ids of chains whose rules may ask for interfaces, which the listing they are from does not show. */
  readonly withoutInterfaces?: readonly string[] | undefined
}

/** Answers of what is known and what is not, for many questions. */
export interface Known {
  /** Whether nothing is missing of one of these parts: whoever has all of a table has all of its chains. */
  isWhole(...ids: readonly string[]): boolean
  /** Whether the interfaces that rules ask for are shown. */
  showsInterfaces(chain: string): boolean
}

/** Of a state that is no fragment everything is known. */
export function knownIn(fragment: Fragment | undefined): Known {
  if (fragment === undefined) return { isWhole: () => true, showsInterfaces: () => true }
  const whole = new Set(fragment.whole)
  const hidden = new Set(fragment.withoutInterfaces)
  return {
    isWhole: (...ids) => ids.some((id) => whole.has(id)),
    showsInterfaces: (chain) => !hidden.has(chain),
  }
}
