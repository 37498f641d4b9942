/** A program that may write rules on a node in addition to kube-proxy. */
export interface Neighbor {
  /** The name of the program, as its documentation writes it. */
  readonly name: string
  readonly kind: NeighborKind
  /** The marks of its rules; empty if it writes no rules in the network namespace of the node. */
  readonly signs: NeighborSigns
  /** The effect of its rules, for diagnoses that print `serves`: a clause that follows the name of the program. */
  readonly effect?: string | undefined
  /**
   * The handling of packets that the program serves itself, as a clause: `a cache on this node answers them`. Absent if
   * the program is not meant to serve packets of Services.
   */
  readonly serves?: string | undefined
  /** The check whether the program serves Services in place of kube-proxy. Absent if it cannot replace kube-proxy. */
  readonly replacement?: NeighborStep | undefined
  /** Whether the program serves packets only in the network namespaces of pods, which have no rules of kube-proxy. */
  readonly isOfPods?: boolean | undefined
  /** The fix if its rules stop a packet: an instruction, or a check and its command. */
  readonly remedy: NeighborStep
  /** The fix if its rules apply before the rules of kube-proxy. Absent if the order cannot be configured. */
  readonly insertAfter?: NeighborStep | undefined
}

/** The kind of program, as a noun after an article: `a network plugin`. */
export type NeighborKind =
  | 'network plugin'
  | 'container runtime'
  | 'firewall'
  | 'service mesh'
  | 'load balancer'
  | 'DNS cache'
  | 'VPN'

/** An instruction, with its command and impact, like a step of a diagnosis. */
export interface NeighborStep {
  readonly text: string
  readonly command?: string | undefined
  readonly impact?: string | undefined
}

/** The marks of the rules of a program. Each regular expression matches the start of a name. */
export interface NeighborSigns {
  /** The iptables chains by their only table; `several` for chains that occur in more than one table. */
  readonly chains?: Readonly<Partial<Record<IptablesTable | 'several', RegExp>>> | undefined
  /** The nftables tables. */
  readonly tables?: RegExp | undefined
  /** The comments of rules. */
  readonly comments?: RegExp | undefined
  /** The sets that rules match on. */
  readonly sets?: RegExp | undefined
  /** The interfaces that rules match on. */
  readonly interfaces?: RegExp | undefined
  /** The packet marks that rules match on or set, as iptables prints them. */
  readonly marks?: RegExp | undefined
  /** Rules of built-in chains without any other mark. They count only if the table contains a chain of the program. */
  readonly rules?: RegExp | undefined
  /** Rules that suggest the program even if no chain of it is in the table, because no other known program writes them. */
  readonly ownRules?: RegExp | undefined
  /** The built-in chains of table filter that the program gives the policy DROP, if the table contains its own chains. */
  readonly policies?: readonly string[] | undefined
}

export type IptablesTable = 'filter' | 'nat' | 'mangle' | 'raw'
