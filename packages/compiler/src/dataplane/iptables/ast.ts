import type { IpFamily } from '@kube-rules/types'

/** The iptables tables of one address family, in print order. */
export interface IptablesState {
  /** The address family. */
  readonly family: IpFamily
  /** The tables, in print order. */
  readonly tables: readonly Table[]
}

/** The tables of iptables. */
export type TableName = 'raw' | 'mangle' | 'nat' | 'filter' | 'security'

/**
 * One table. `blocks` are in print order; each block contains the contribution of one owner. Jumps from built-in chains
 * are separate from the blocks, because kube-proxy inserts these jumps one by one and never rewrites built-in chains.
 */
export interface Table {
  /** The name of the table. */
  readonly name: TableName
  /** The policies of built-in chains, excluding `ACCEPT`. */
  readonly policies?: readonly ChainPolicy[] | undefined
  /** The jumps from built-in chains, in the order of these chains. */
  readonly jumps: readonly Rule[]
  /** The chains and rules, by owner. */
  readonly blocks: readonly RuleBlock[]
}

/** The policy for a packet that reaches the end of a built-in chain. */
export interface ChainPolicy {
  /** The built-in chain. */
  readonly chain: string
  /** The verdict at the end of the chain. */
  readonly policy: 'ACCEPT' | 'DROP'
}

/** Chains to create, then rules to append to these chains or to chains of earlier blocks. */
export interface RuleBlock {
  /** The owner of the block as an opaque label; empty for a block without owner, such as the static rules. */
  readonly owner: string
  /** The chains to create, in print order. */
  readonly chains: readonly string[]
  /** The rules to append, in print order. */
  readonly rules: readonly Rule[]
}

/** One `-A CHAIN …` line. */
export interface Rule {
  /** The chain that contains the rule. */
  readonly chain: string
  /** The matches in print order; all must match. */
  readonly matches: readonly Match[]
  /** The target. Absent if the rule only counts packets. */
  readonly target?: Target | undefined
  /**
   * Whether a missing jump from a built-in chain is appended after the existing rules instead of inserted before them.
   * The kernel does not store this setting.
   */
  readonly appended?: true | undefined
}

/**
 * One match of a rule. A transport module (`-m tcp`) and its options (`--dport 80`) are separate matches, because
 * kube-proxy prints other matches between the module and the options.
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

/** The kinds of matches. */
export type MatchKind = Match['kind']

/** The matches of one kind: `MatchOf<'destination'>`. */
export type MatchOf<Kind extends MatchKind> = Extract<Match, { readonly kind: Kind }>

/** `-s`: an address (`10.0.0.1`) or a masked network (`10.0.0.0/8`), canonical. */
export interface SourceMatch {
  /** Prints as `-s 10.244.1.5/32`. */
  readonly kind: 'source'
  /** An address or network. */
  readonly address: string
  /** Whether the match is inverted with `!`. */
  readonly negated: boolean
}

/** `-d`. */
export interface DestinationMatch {
  /** Prints as `-d 10.96.0.10/32`. */
  readonly kind: 'destination'
  /** An address or network. */
  readonly address: string
  /** Whether the match is inverted with `!`. */
  readonly negated: boolean
}

/** `-i NAME`; a trailing `+` matches every interface name with this prefix. */
export interface InInterfaceMatch {
  /** Prints as `-i eth0`. */
  readonly kind: 'inInterface'
  /** The name of the interface. */
  readonly name: string
  /** Whether the match is inverted with `!`. */
  readonly negated: boolean
}

/** `-o`. */
export interface OutInterfaceMatch {
  /** Prints as `-o eth0`. */
  readonly kind: 'outInterface'
  /** The name of the interface. */
  readonly name: string
  /** Whether the match is inverted with `!`. */
  readonly negated: boolean
}

/** `-p PROTOCOL`, with a lower-case name or a number. */
export interface ProtocolMatch {
  /** Prints as `-p tcp`. */
  readonly kind: 'protocol'
  /** The name or number of the protocol. */
  readonly protocol: string
  /** Whether the match is inverted with `!`. */
  readonly negated: boolean
}

/** `-m tcp`, `-m udp`, `-m sctp`. */
export interface TransportMatch {
  /** Prints as `-m tcp`. */
  readonly kind: 'transport'
  /** The name of the module. */
  readonly protocol: string
}

/** `--sport FIRST[:LAST]`. */
export interface SourcePortMatch {
  /** Prints as `--sport 80`, after `-m tcp`. */
  readonly kind: 'sourcePort'
  /** The first port. */
  readonly first: number
  /** The last port of the range; the same as `first` for an individual port. */
  readonly last: number
  /** Whether the match is inverted with `!`. */
  readonly negated: boolean
}

/** `--dport FIRST[:LAST]`. */
export interface DestinationPortMatch {
  /** Prints as `--dport 80`, after `-m tcp`. */
  readonly kind: 'destinationPort'
  /** The first port. */
  readonly first: number
  /** The last port of the range; the same as `first` for an individual port. */
  readonly last: number
  /** Whether the match is inverted with `!`. */
  readonly negated: boolean
}

/** `-m comment --comment TEXT`. */
export interface CommentMatch {
  /** Prints as `-m comment --comment "default/web:http"`. */
  readonly kind: 'comment'
  /** The comment, without quotes. */
  readonly text: string
}

/** `-m mark --mark VALUE/MASK`, unsigned 32-bit. */
export interface MarkMatch {
  /** Prints as `-m mark --mark 0x4000/0x4000`. */
  readonly kind: 'mark'
  /** The expected value of the masked bits. */
  readonly value: number
  /** The compared bits. */
  readonly mask: number
  /** Whether the match is inverted with `!`. */
  readonly negated: boolean
}

/** `-m conntrack --ctstate A,B`, in printed order. */
export interface ConntrackMatch {
  /** Prints as `-m conntrack --ctstate RELATED,ESTABLISHED`. */
  readonly kind: 'conntrack'
  /** The states; one of them must apply. */
  readonly states: readonly string[]
  /** Whether the match is inverted with `!`. */
  readonly negated: boolean
}

/** `-m state --state A,B`, in printed order. */
export interface StateMatch {
  /** Prints as `-m state --state NEW`. */
  readonly kind: 'state'
  /** The states; one of them must apply. */
  readonly states: readonly string[]
  /** Whether the match is inverted with `!`. */
  readonly negated: boolean
}

/** `-m addrtype --src-type T` or `--dst-type T`, upper case. */
export interface AddrtypeMatch {
  /** Prints as `-m addrtype --dst-type LOCAL`. */
  readonly kind: 'addrtype'
  /** Which address of the packet has the type: the source or the destination. */
  readonly side: 'source' | 'destination'
  /** The type, such as `LOCAL`. */
  readonly type: string
  /** Whether the match is inverted with `!`. */
  readonly negated: boolean
}

/** `-m statistic --mode random --probability P`. */
export interface StatisticMatch {
  /** Prints as `-m statistic --mode random --probability 0.50000000000`. */
  readonly kind: 'statistic'
  /** The printed probability, for example `0.3333333333`. The kernel stores the probability with 31 bits. */
  readonly probability: string
  /** Whether the match is inverted with `!`. */
  readonly negated: boolean
}

/** `-m recent --name LIST --set`, or `--rcheck --seconds N --reap`. */
export interface RecentMatch {
  /** Prints as `-m recent --name KUBE-SEP-X --set`. */
  readonly kind: 'recent'
  /** The name of the list of clients. */
  readonly name: string
  /** Whether the client is recorded (`set`) or looked up (`rcheck`). */
  readonly action: 'set' | 'rcheck'
  /** The maximum age of the client's entry in the list, in seconds; only with `rcheck`. */
  readonly seconds?: number | undefined
  /** Whether expired clients are removed (`--reap`). */
  readonly reap: boolean
  /** Whether the match is inverted with `!`. */
  readonly negated: boolean
}

/** `-m nfacct --nfacct-name NAME`: counts the packet, and always matches. */
export interface NfacctMatch {
  /** Prints as `-m nfacct --nfacct-name NAME`. */
  readonly kind: 'nfacct'
  /** The name of the counter. */
  readonly name: string
}

/** `-m set --match-set NAME dst,dst`. */
export interface SetMatch {
  /** Prints as `-m set --match-set KUBE-CLUSTER-IP dst,dst`. */
  readonly kind: 'set'
  /** The name of the set. */
  readonly name: string
  /**
   * The directions: for each component of a set entry, whether the component is compared with the source or the
   * destination of the packet.
   */
  readonly directions: readonly ('src' | 'dst')[]
  /** Whether the match is inverted with `!`. */
  readonly negated: boolean
}

/** `-m physdev --physdev-is-in`. */
export interface PhysdevMatch {
  /** Prints as `-m physdev --physdev-is-bridged`. */
  readonly kind: 'physdev'
  /** The tested property. */
  readonly is: 'in' | 'out' | 'bridged'
  /** Whether the match is inverted with `!`. */
  readonly negated: boolean
}

/** `-m ipvs --vaddr A --vproto P --vport N`. */
export interface IpvsMatch {
  /** Prints as `-m ipvs --vaddr 10.96.0.10 --vproto 6 --vport 80`. */
  readonly kind: 'ipvs'
  /** The address of the virtual server. */
  readonly address: string
  /** The protocol of the virtual server. */
  readonly protocol: string
  /** The port of the virtual server. */
  readonly port: number
}

/**
 * A match that this model does not represent, as words: `['-m', 'hashlimit', '--hashlimit-upto', '5/sec']`. Quotes and
 * backslashes stay unchanged. Only other programs write such a match.
 */
export interface UnknownMatch {
  /** A match that this model does not represent. */
  readonly kind: 'unknown'
  /** Its words, unchanged. */
  readonly words: readonly string[]
}

/** The action of a rule on matching packets. */
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

/** The kinds of targets. */
export type TargetKind = Target['kind']

/** The targets of one kind: `TargetOf<'dnat'>`. */
export type TargetOf<Kind extends TargetKind> = Extract<Target, { readonly kind: Kind }>

/** `-j REJECT`. Without `with`, the sender gets the port-unreachable message of the family. */
export interface RejectTarget {
  /** Prints as `-j REJECT`. */
  readonly kind: 'reject'
  /** The ICMP message to the sender. Default: `icmp-port-unreachable`, or `icmp6-port-unreachable` for IPv6. */
  readonly with?: string | undefined
}

/**
 * `-j MARK`: the new mark is `(mark & ~mask) ^ value`. Printed like kube-proxy prints it (`--or-mark`, `--xor-mark`) if
 * the value allows this form, otherwise as `--set-xmark`.
 */
export interface MarkTarget {
  /** Prints as `-j MARK --or-mark 0x4000`. */
  readonly kind: 'mark'
  /** How the mark changes. */
  readonly operation: 'or' | 'xor' | 'set-xmark'
  /** The operand. */
  readonly value: number
  /** The mask; only with `set-xmark`. */
  readonly mask?: number | undefined
}

/** Replaces the source address with an address of the node. */
export interface MasqueradeTarget {
  /** Prints as `-j MASQUERADE`. */
  readonly kind: 'masquerade'
  /** Whether `--random-fully` follows. */
  readonly randomFully: boolean
}

/** `-j DNAT --to-destination IP:PORT`. An IPv6 address is in brackets. */
export interface DnatTarget {
  /** Prints as `-j DNAT --to-destination 10.244.1.5:8080`. */
  readonly kind: 'dnat'
  /** The new address, with its port. */
  readonly destination: string
}

/** `-j REDIRECT --to-ports PORT`: redirects to a local process. */
export interface RedirectTarget {
  /** Prints as `-j REDIRECT --to-ports 40001`. */
  readonly kind: 'redirect'
  /** The local port. */
  readonly port: number
}

/**
 * A target that this model does not represent, as words that begin with `-j` or `-g`. The words have the form described
 * in `UnknownMatch`. Only other programs write such a target.
 */
export interface UnknownTarget {
  /** A target that this model does not represent. */
  readonly kind: 'unknown'
  /** Its words, unchanged. */
  readonly words: readonly string[]
}
