import type { IpFamily } from '@kube-rules/types'

/** The iptables tables of one address family, in print order. */
export interface IptablesState {
  readonly family: IpFamily
  readonly tables: readonly Table[]
}

export type TableName = 'raw' | 'mangle' | 'nat' | 'filter' | 'security'

/**
 * One table. `blocks` are in print order; each contains the contribution of one owner. Jumps from built-in chains are
 * separate, because kube-proxy ensures them one by one and never writes those chains.
 */
export interface Table {
  readonly name: TableName
  /** Policies of built-in chains other than ACCEPT. */
  readonly policies?: readonly ChainPolicy[] | undefined
  /** Jumps in the order of the built-in chains. */
  readonly jumps: readonly Rule[]
  readonly blocks: readonly Block[]
}

/** The policy for a packet that reaches the end of a built-in chain. */
export interface ChainPolicy {
  readonly chain: string
  readonly policy: 'ACCEPT' | 'DROP'
}

/** Chains to create, then rules to append to these chains or to chains of earlier blocks. */
export interface Block {
  /** The owner of the block, an opaque label; empty for the static part. */
  readonly owner: string
  readonly chains: readonly string[]
  readonly rules: readonly Rule[]
}

/** One `-A CHAIN …` line. */
export interface Rule {
  readonly chain: string
  /** The matches in print order; all must match. */
  readonly matches: readonly Match[]
  /** The target. Absent: the rule only counts. */
  readonly target?: Target | undefined
  /**
   * For a missing jump from a built-in chain: whether to append it after existing rules rather than insert it first.
   * The kernel does not store this.
   */
  readonly appended?: true | undefined
}

/**
 * One printed piece of the condition of a rule. A transport module (`-m tcp`) and its options (`--dport 80`) are two
 * pieces, because kube-proxy prints other pieces between them.
 */
export type Match =
  | SourceMatch
  | DestinationMatch
  | InInterfaceMatch
  | OutInterfaceMatch
  | ProtocolMatch
  | TransportMatch
  | SourcePortMatch
  | DestinationPortMatch
  | CommentMatch
  | MarkMatch
  | ConntrackMatch
  | StateMatch
  | AddrtypeMatch
  | StatisticMatch
  | RecentMatch
  | NfacctMatch
  | SetMatch
  | PhysdevMatch
  | IpvsMatch
  | UnknownMatch

export type MatchKind = Match['kind']

/** The matches of one kind: `MatchOf<'destination'>`. */
export type MatchOf<Kind extends MatchKind> = Extract<Match, { readonly kind: Kind }>

/** `-s`: an address (`10.0.0.1`) or a masked network (`10.0.0.0/8`), canonical. */
export interface SourceMatch {
  readonly kind: 'source'
  readonly address: string
  readonly negated: boolean
}

/** `-d`. */
export interface DestinationMatch {
  readonly kind: 'destination'
  readonly address: string
  readonly negated: boolean
}

/** `-i`; a trailing `+` matches every name with this prefix. */
export interface InInterfaceMatch {
  readonly kind: 'inInterface'
  readonly name: string
  readonly negated: boolean
}

/** `-o`. */
export interface OutInterfaceMatch {
  readonly kind: 'outInterface'
  readonly name: string
  readonly negated: boolean
}

/** `-p`, lower-case name or number. */
export interface ProtocolMatch {
  readonly kind: 'protocol'
  readonly protocol: string
  readonly negated: boolean
}

/** `-m tcp`, `-m udp`, `-m sctp`. */
export interface TransportMatch {
  readonly kind: 'transport'
  readonly protocol: string
}

/** `--sport FIRST[:LAST]`. */
export interface SourcePortMatch {
  readonly kind: 'sourcePort'
  readonly first: number
  readonly last: number
  readonly negated: boolean
}

/** `--dport FIRST[:LAST]`. */
export interface DestinationPortMatch {
  readonly kind: 'destinationPort'
  readonly first: number
  readonly last: number
  readonly negated: boolean
}

/** `-m comment --comment TEXT`. */
export interface CommentMatch {
  readonly kind: 'comment'
  readonly text: string
}

/** `-m mark --mark VALUE/MASK`, unsigned 32-bit. */
export interface MarkMatch {
  readonly kind: 'mark'
  readonly value: number
  readonly mask: number
  readonly negated: boolean
}

/** `-m conntrack --ctstate A,B`, in printed order. */
export interface ConntrackMatch {
  readonly kind: 'conntrack'
  readonly states: readonly string[]
  readonly negated: boolean
}

/** `-m state --state A,B`, in printed order. */
export interface StateMatch {
  readonly kind: 'state'
  readonly states: readonly string[]
  readonly negated: boolean
}

/** `-m addrtype --src-type T` or `--dst-type T`, upper case. */
export interface AddrtypeMatch {
  readonly kind: 'addrtype'
  readonly side: 'source' | 'destination'
  readonly type: string
  readonly negated: boolean
}

/** `-m statistic --mode random --probability P`. */
export interface StatisticMatch {
  readonly kind: 'statistic'
  /** The printed probability, for example `0.3333333333`; the kernel stores 31 bits of it. */
  readonly probability: string
  readonly negated: boolean
}

/** `-m recent --name LIST --set`, or `--rcheck --seconds N --reap`. */
export interface RecentMatch {
  readonly kind: 'recent'
  readonly name: string
  readonly action: 'set' | 'rcheck'
  /** The seconds; only with `rcheck`. */
  readonly seconds?: number | undefined
  readonly reap: boolean
  readonly negated: boolean
}

/** `-m nfacct --nfacct-name NAME`: counts, always matches. */
export interface NfacctMatch {
  readonly kind: 'nfacct'
  readonly name: string
}

/** `-m set --match-set NAME dst,dst`. */
export interface SetMatch {
  readonly kind: 'set'
  readonly name: string
  readonly directions: readonly ('src' | 'dst')[]
  readonly negated: boolean
}

/** `-m physdev --physdev-is-in`. */
export interface PhysdevMatch {
  readonly kind: 'physdev'
  readonly is: 'in' | 'out' | 'bridged'
  readonly negated: boolean
}

/** `-m ipvs --vaddr A --vproto P --vport N`. */
export interface IpvsMatch {
  readonly kind: 'ipvs'
  readonly address: string
  readonly protocol: string
  readonly port: number
}

/**
 * Words of a rule of another program, unchanged, including quotes and backslashes:
 * `['-m', 'hashlimit', '--hashlimit-upto', '5/sec']`.
 */
export interface UnknownMatch {
  readonly kind: 'unknown'
  readonly words: readonly string[]
}

export type Target =
  | { readonly kind: 'accept' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'return' }
  | RejectTarget
  | { readonly kind: 'jump'; readonly chain: string }
  | { readonly kind: 'goto'; readonly chain: string }
  | MarkTarget
  | MasqueradeTarget
  | DnatTarget
  | RedirectTarget
  | UnknownTarget

export type TargetKind = Target['kind']

/** The targets of one kind: `TargetOf<'dnat'>`. */
export type TargetOf<Kind extends TargetKind> = Extract<Target, { readonly kind: Kind }>

/** `-j REJECT`; without `with`, the port-unreachable message of the family. */
export interface RejectTarget {
  readonly kind: 'reject'
  readonly with?: string | undefined
}

/**
 * `-j MARK`: the new mark is `(mark & ~mask) ^ value`. Printed as kube-proxy does (`--or-mark`, `--xor-mark`) if that
 * form exists, else as `--set-xmark`.
 */
export interface MarkTarget {
  readonly kind: 'mark'
  readonly operation: 'or' | 'xor' | 'set-xmark'
  readonly value: number
  /** The mask; only with `set-xmark`. */
  readonly mask?: number | undefined
}

export interface MasqueradeTarget {
  readonly kind: 'masquerade'
  readonly randomFully: boolean
}

/** `-j DNAT --to-destination IP:PORT`, IPv6 in brackets. */
export interface DnatTarget {
  readonly kind: 'dnat'
  readonly destination: string
}

/** `-j REDIRECT --to-ports PORT`: redirects to a local process. */
export interface RedirectTarget {
  readonly kind: 'redirect'
  readonly port: number
}

/** A target of another program, including `-j` or `-g`; words as in `UnknownMatch`. */
export interface UnknownTarget {
  readonly kind: 'unknown'
  readonly words: readonly string[]
}
