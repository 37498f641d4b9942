import type { IpFamily } from '@kube-rules/types'

/** What one address family's iptables tables hold, in the order in which it is written. */
export interface IptablesState {
  readonly family: IpFamily
  readonly tables: readonly Table[]
}

export type TableName = 'raw' | 'mangle' | 'nat' | 'filter' | 'security'

/**
 * One table. `blocks` follow one another in the text; each holds what one owner contributes to it.
 * Jumps from built-in chains are kept apart: kube-proxy makes sure of them one by one and never writes those chains.
 */
export interface Table {
  readonly name: TableName
  /** Of built-in chains whose policy is not ACCEPT. */
  readonly policies?: readonly ChainPolicy[] | undefined
  /** In the order they stand in the built-in chains. */
  readonly jumps: readonly Rule[]
  readonly blocks: readonly Block[]
}

/** What happens to a packet that reaches the end of a built-in chain. */
export interface ChainPolicy {
  readonly chain: string
  readonly policy: 'ACCEPT' | 'DROP'
}

/** Chains that are created, then rules that are appended: to these chains or to chains of earlier blocks. */
export interface Block {
  /** Whose block it is; an opaque label, empty for the fixed part. */
  readonly owner: string
  readonly chains: readonly string[]
  readonly rules: readonly Rule[]
}

/** One `-A CHAIN …` line. */
export interface Rule {
  readonly chain: string
  /** In the order in which they are written; all must hold. */
  readonly matches: readonly Match[]
  /** Absent: the rule only counts. */
  readonly verdict?: Verdict | undefined
  /**
   * Of a jump from a built-in chain that is not there yet: it is put behind what others have in the chain, not before. The
   * kernel does not keep it.
   */
  readonly appended?: true | undefined
}

/**
 * One written piece of a rule's condition. A transport module (`-m tcp`) and its options (`--dport 80`) are two pieces,
 * because kube-proxy writes other pieces between them.
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

/** `-i`; a trailing `+` matches every name that begins so. */
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

/** `-p`, lower case name or number. */
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

/** `-m conntrack --ctstate A,B`, in the order written. */
export interface ConntrackMatch {
  readonly kind: 'conntrack'
  readonly states: readonly string[]
  readonly negated: boolean
}

/** `-m state --state A,B`, in the order written. */
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
  /** As written, for example `0.3333333333`; the kernel keeps 31 bits of it. */
  readonly probability: string
  readonly negated: boolean
}

/** `-m recent --name LIST --set`, or `--rcheck --seconds N --reap`. */
export interface RecentMatch {
  readonly kind: 'recent'
  readonly name: string
  readonly action: 'set' | 'rcheck'
  /** Only with `rcheck`. */
  readonly seconds?: number | undefined
  readonly reap: boolean
  readonly negated: boolean
}

/** `-m nfacct --nfacct-name NAME`: counts, always holds. */
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
 * Words of another program's rule, kept as they were, quotes and backslashes included:
 * `['-m', 'hashlimit', '--hashlimit-upto', '5/sec']`.
 */
export interface UnknownMatch {
  readonly kind: 'unknown'
  readonly words: readonly string[]
}

export type Verdict =
  | { readonly kind: 'accept' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'return' }
  | RejectVerdict
  | { readonly kind: 'jump'; readonly chain: string }
  | { readonly kind: 'goto'; readonly chain: string }
  | MarkVerdict
  | MasqueradeVerdict
  | DnatVerdict
  | RedirectVerdict
  | UnknownVerdict

export type VerdictKind = Verdict['kind']

/** `-j REJECT`; without `with` the family's port-unreachable. */
export interface RejectVerdict {
  readonly kind: 'reject'
  readonly with?: string | undefined
}

/**
 * `-j MARK`: the new mark is `(mark & ~mask) ^ value`. Spelled as kube-proxy writes it (`--or-mark`, `--xor-mark`) where
 * that form exists, else `--set-xmark`.
 */
export interface MarkVerdict {
  readonly kind: 'mark'
  readonly operation: 'or' | 'xor' | 'set-xmark'
  readonly value: number
  /** Only with `set-xmark`. */
  readonly mask?: number | undefined
}

export interface MasqueradeVerdict {
  readonly kind: 'masquerade'
  readonly randomFully: boolean
}

/** `-j DNAT --to-destination IP:PORT`, IPv6 in brackets. */
export interface DnatVerdict {
  readonly kind: 'dnat'
  readonly destination: string
}

/** `-j REDIRECT --to-ports PORT`: to a process of the machine itself. */
export interface RedirectVerdict {
  readonly kind: 'redirect'
  readonly port: number
}

/** Another program's target, `-j` or `-g` included; words as in `UnknownMatch`. */
export interface UnknownVerdict {
  readonly kind: 'unknown'
  readonly words: readonly string[]
}
