/** One table of one family, in the form that commands create and `nft list` prints. */
export interface Table {
  /** The table family. */
  readonly family: TableFamily
  /** The name of the table. */
  readonly name: string
  /** Flags such as `dormant`. */
  readonly flags?: readonly string[] | undefined
  /** The comment, without quotes. */
  readonly comment?: string | undefined
  /** The handle: a number that the kernel assigns. */
  readonly handle?: number | undefined
  /** Chains in order of creation. */
  readonly chains: readonly Chain[]
  /** Sets and maps, in order of creation. */
  readonly sets: readonly NamedSet[]
  /** The named objects other than chains, sets and maps, such as counters, quotas and flowtables. */
  readonly objects: readonly NamedObject[]
}

/** The table families of nftables. */
export type TableFamily = 'ip' | 'ip6' | 'inet' | 'arp' | 'bridge' | 'netdev'

/** A chain. A chain with `base` is called by a hook. Any other chain is called only by rules and maps. */
export interface Chain extends ChainDefinition {
  /** The handle: a number that the kernel assigns. */
  readonly handle?: number | undefined
  /** The rules, in order. */
  readonly rules: readonly Rule[]
}

/** A chain without its rules: the content of an `add chain` command. */
export interface ChainDefinition {
  /** The name of the chain. */
  readonly name: string
  /** The properties of a base chain. Absent for any other chain. */
  readonly base?: BaseChain | undefined
  /** The comment, without quotes. */
  readonly comment?: string | undefined
}

/** The properties of a base chain: `type filter hook input priority 0; policy accept;`. */
export interface BaseChain {
  /** `filter`, `nat` or `route`. */
  readonly type: string
  /** The hook that calls the chain. */
  readonly hook: string
  /** The network devices; present only for hooks of devices, such as `ingress`. */
  readonly devices?: readonly string[] | undefined
  /** The priority, which determines the order of chains at the same hook. Chains with lower priorities run first. */
  readonly priority: number
  /**
   * The policy for packets at the end of the chain. If absent, a new chain has the policy `accept`, and an existing
   * chain keeps its policy.
   */
  readonly policy?: ChainPolicy | undefined
}

/** The verdict at the end of a base chain. */
export type ChainPolicy = 'accept' | 'drop'

/** A rule. Its statements run from left to right. A statement is executed if all preceding matches succeed. */
export interface Rule {
  /** The statements, in order. */
  readonly statements: readonly Statement[]
  /** The comment, without quotes. */
  readonly comment?: string | undefined
  /** The handle: a number that the kernel assigns. */
  readonly handle?: number | undefined
}

/** A set, or a map from keys to verdicts or data. */
export interface NamedSet extends SetDefinition {
  /** The handle: a number that the kernel assigns. */
  readonly handle?: number | undefined
  /** The elements. */
  readonly elements: readonly Element[]
}

/** A set or map without its elements: the content of an `add set` or `add map` command. */
export interface SetDefinition {
  /** Whether keys have values. */
  readonly kind: 'set' | 'map'
  /** The name of the set. */
  readonly name: string
  /** The types of the key components. */
  readonly key: KeyType
  /** The types of the data components of a map, or `verdict`. */
  readonly data?: readonly string[] | undefined
  /** Flags such as `dynamic`, `timeout`, `interval`. */
  readonly flags?: readonly string[] | undefined
  /** The default timeout of elements, in milliseconds. */
  readonly timeout?: number | undefined
  /** The interval of garbage collection, in milliseconds. */
  readonly gcInterval?: number | undefined
  /** The maximum number of elements. */
  readonly size?: number | undefined
  /** `performance` or `memory`. */
  readonly policy?: string | undefined
  /** Whether the kernel merges adjacent intervals (`auto-merge`). */
  readonly autoMerge?: boolean | undefined
  /** Whether every element has a counter. */
  readonly counts?: boolean | undefined
  /** The comment, without quotes. */
  readonly comment?: string | undefined
}

/** The type of a key: `type ipv4_addr . inet_service`, or `typeof ip saddr . tcp dport`. */
export type KeyType =
  | { readonly kind: 'type'; readonly types: readonly string[] }
  | { readonly kind: 'typeof'; readonly words: readonly string[] }

/** One element of a set or map. A table may have 200,000 elements. */
export interface Element {
  /**
   * The key in nft notation, such as `10.96.0.1 . tcp . 80`. The components of a concatenation are separated by ` . `.
   * Each component is an address, a number, a name, a prefix (`10.0.0.0/8`) or a range (`80-90`). Interface names have
   * no quotes.
   */
  readonly key: string
  /** The verdict; only in a verdict map. */
  readonly verdict?: Verdict | undefined
  /** The data, in key notation; only in a data map. */
  readonly data?: string | undefined
  /** The comment, without quotes. */
  readonly comment?: string | undefined
  /** The timeout in milliseconds. */
  readonly timeout?: number | undefined
  /** The remaining time, in milliseconds. */
  readonly expires?: number | undefined
  /** The counter of the element. */
  readonly counter?: CounterValues | undefined
}

/** The values of a counter. */
export interface CounterValues {
  /** The number of packets. */
  readonly packets: number
  /** The number of bytes. */
  readonly bytes: number
}

/** A verdict. A verdict ends the traversal of a chain, or continues in another chain or rule. */
export type Verdict =
  | { readonly kind: 'accept' | 'drop' | 'return' | 'continue' }
  | { readonly kind: 'jump' | 'goto'; readonly chain: string }

/** One part of a rule: a match or an action. */
export type Statement =
  | MatchStatement
  | MarkMatchStatement
  | VmapStatement
  | Verdict
  | RejectStatement
  | MarkSetStatement
  | MasqueradeStatement
  | DnatStatement
  | SetUpdateStatement
  | CounterStatement
  | NamedCounterStatement
  | UnknownStatement
  | UnknownJsonStatement

/** The kinds of statements. */
export type StatementKind = Statement['kind']

/** The statements of one kind: `StatementOf<'dnat'>`. */
export type StatementOf<Kind extends StatementKind> = Extract<Statement, { readonly kind: Kind }>

/** `ip saddr != 10.0.0.0/8`, `ip daddr . meta l4proto @set`, `tcp dport { 80, 443 }`. */
export interface MatchStatement {
  /** Prints as `ip daddr 10.96.0.10`. */
  readonly kind: 'match'
  /** The selectors. Several selectors form a concatenation. */
  readonly left: readonly Selector[]
  /** The operator that compares the two sides. */
  readonly operator: Operator
  /** The values that the selectors are compared with. */
  readonly right: Operand
}

/** A comparison. */
export type Operator = '==' | '!=' | '<' | '>' | '<=' | '>='

/** A field of a packet. */
export type Selector =
  /** `ip saddr`, `th dport`. */
  | { readonly kind: 'payload'; readonly protocol: string; readonly field: string }
  /** `meta l4proto`, `iifname`. */
  | { readonly kind: 'meta'; readonly key: string }
  /** `ct state`. */
  | { readonly kind: 'ct'; readonly key: string }
  /** `fib saddr type`, `fib daddr . iif oif`. */
  | { readonly kind: 'fib'; readonly flags: readonly string[]; readonly result: string }
  /** `numgen random mod 2`. */
  | { readonly kind: 'numgen'; readonly mode: string; readonly mod: number; readonly offset: number }

/** The values that a selector is compared with. */
export type Operand =
  /** A single value, in the notation of `Element.key`. If the value is a set of flags, commas separate the flags. */
  | { readonly kind: 'value'; readonly value: string }
  /** Keys: `{ 10.0.0.0/8, 192.0.2.1 }`. */
  | { readonly kind: 'anonymous'; readonly keys: readonly string[] }
  /** `@name`. */
  | { readonly kind: 'named'; readonly set: string }

/** `meta mark & MASK == VALUE`. */
export interface MarkMatchStatement {
  /** Prints as `mark & 0x4000 != 0`. */
  readonly kind: 'markMatch'
  /** The mask. If the rule has no mask, all 32 bits are set. */
  readonly mask: number
  /** The operator that compares the masked mark with `value`. */
  readonly operator: '==' | '!='
  /** The expected value of the masked mark. */
  readonly value: number
}

/** `ip daddr . th dport vmap @name`, `numgen random mod 2 vmap { 0 : goto a, 1 : goto b }`. */
export interface VmapStatement {
  /** Prints as `ip daddr . th dport vmap @service-ips`. */
  readonly kind: 'vmap'
  /** The fields that form the key. */
  readonly key: readonly Selector[]
  /** The map from keys to verdicts. */
  readonly map: MapOperand
}

/** A map, given by its name or by its elements. */
export type MapOperand =
  | { readonly kind: 'anonymous'; readonly elements: readonly Element[] }
  | { readonly kind: 'named'; readonly set: string }

/** `reject`, `reject with tcp reset`. */
export interface RejectStatement {
  /** Prints as `reject`. */
  readonly kind: 'reject'
  /** The message to the sender. Default: the port-unreachable message of the family. */
  readonly with?: string | undefined
}

/** `meta mark set meta mark | 0x00004000`. With `set`, the mark becomes `value`. */
export interface MarkSetStatement {
  /** Prints as `mark set mark or 0x4000`. */
  readonly kind: 'markSet'
  /** How the mark changes. */
  readonly operation: 'or' | 'xor' | 'and' | 'set'
  /** The operand. */
  readonly value: number
}

/** Replaces the source address with an address of the node. */
export interface MasqueradeStatement {
  /** Prints as `masquerade`. */
  readonly kind: 'masquerade'
  /** Whether `fully-random` follows. */
  readonly fullyRandom: boolean
}

/** `dnat to 10.0.0.1:80`, or a random choice: `dnat ip addr . port to numgen random mod 2 map { … }`. */
export interface DnatStatement {
  /** Prints as `dnat to 10.244.1.5:8080`. */
  readonly kind: 'dnat'
  /** The family of the address. nft prints the family only in tables for both families, and before a map. */
  readonly family?: 'ip' | 'ip6' | undefined
  /** The new address and port. */
  readonly to:
    | { readonly kind: 'address'; readonly address: string; readonly port?: number | undefined }
    /** A map. The data of each element is an address, or an address and a port. */
    | { readonly kind: 'map'; readonly key: readonly Selector[]; readonly elements: readonly Element[] }
}

/** `update @name { ip saddr }`. */
export interface SetUpdateStatement {
  /** Prints as `update @affinity-X { ip saddr }`. */
  readonly kind: 'setUpdate'
  /** The operation on the set. */
  readonly operation: 'add' | 'update' | 'delete'
  /** The name of the set. */
  readonly set: string
  /** The fields that form the key. */
  readonly key: readonly Selector[]
  /** The timeout in milliseconds. */
  readonly timeout?: number | undefined
}

/** `counter packets 0 bytes 0`. */
export interface CounterStatement extends CounterValues {
  /** Prints as `counter packets 0 bytes 0`. */
  readonly kind: 'counter'
}

/** `counter name "c"`. */
export interface NamedCounterStatement {
  /** Prints as `counter name "NAME"`. */
  readonly kind: 'namedCounter'
  /** The name of the counter. */
  readonly name: string
}

/**
 * A statement that this model does not represent. The words are unchanged, including quotes. Only other programs write
 * such a statement.
 */
export interface UnknownStatement {
  /** Marks a statement that this model does not represent. */
  readonly kind: 'unknown'
  /** Its words, unchanged. */
  readonly words: readonly string[]
}

/** A statement that occurs only in the JSON output of nft. The statement has no text form, so it cannot be printed. */
export interface UnknownJsonStatement {
  /** Marks a statement that occurs only in the JSON output of nft. */
  readonly kind: 'unknownJson'
  /** The statement as JSON text. */
  readonly json: string
}

/** A named object other than a chain or a set. */
export type NamedObject = NamedCounter | UnknownObject

/** A counter with a name (`counter NAME { … }`). */
export interface NamedCounter extends CounterValues {
  /** A counter. */
  readonly kind: 'counter'
  /** The name of the counter. */
  readonly name: string
  /** The comment, without quotes. */
  readonly comment?: string | undefined
  /** The handle: a number that the kernel assigns. */
  readonly handle?: number | undefined
}

/**
 * A named object other than a counter, such as a quota, limit, flowtable or ct helper. Contains the words between the
 * braces, line by line.
 */
export interface UnknownObject {
  /** Marks an object of a kind that this model does not represent. */
  readonly kind: 'unknown'
  /** `quota`, `ct helper`. */
  readonly type: string
  /** The name of the object. */
  readonly name: string
  /** The lines of the object, each as words. */
  readonly lines: readonly (readonly string[])[]
  /** The handle: a number that the kernel assigns. */
  readonly handle?: number | undefined
}
