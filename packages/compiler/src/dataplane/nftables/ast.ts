/** One table of one family, as created by commands and as printed by `nft list`. */
export interface Table {
  /** The table family. */
  readonly family: TableFamily
  /** The name of the table. */
  readonly name: string
  /** Flags such as `dormant`. */
  readonly flags?: readonly string[] | undefined
  /** The comment, without quotes. */
  readonly comment?: string | undefined
  /** The number that the kernel assigns. */
  readonly handle?: number | undefined
  /** Chains in order of creation. */
  readonly chains: readonly Chain[]
  /** Sets and maps, in order of creation. */
  readonly sets: readonly NamedSet[]
  /** Counters, quotas, flowtables and all further named objects. */
  readonly objects: readonly NamedObject[]
}

/** The table families of nftables. */
export type TableFamily = 'ip' | 'ip6' | 'inet' | 'arp' | 'bridge' | 'netdev'

/** A chain. With `base`, a hook calls it; without, only rules and maps do. */
export interface Chain extends ChainDefinition {
  /** The number that the kernel assigns. */
  readonly handle?: number | undefined
  /** The rules, in order. */
  readonly rules: readonly Rule[]
}

/** A chain without its rules: the content of `add chain`. */
export interface ChainDefinition {
  /** The name of the chain. */
  readonly name: string
  /** Present for a base chain. */
  readonly base?: BaseChain | undefined
  /** The comment, without quotes. */
  readonly comment?: string | undefined
}

/** The hook of a base chain: `type filter hook input priority 0; policy accept;`. */
export interface BaseChain {
  /** `filter`, `nat` or `route`. */
  readonly type: string
  /** The hook that calls the chain. */
  readonly hook: string
  /** Devices, only for hooks of devices. */
  readonly devices?: readonly string[] | undefined
  /** The order of chains at one hook; lower ones run first. */
  readonly priority: number
  /** The policy at the end of the chain. Absent if unspecified: `accept` in a new chain, else unchanged. */
  readonly policy?: ChainPolicy | undefined
}

/** The verdict at the end of a base chain. */
export type ChainPolicy = 'accept' | 'drop'

/** Statements from left to right: a statement is executed if all preceding matches succeed. */
export interface Rule {
  /** The statements, in order. */
  readonly statements: readonly Statement[]
  /** The comment, without quotes. */
  readonly comment?: string | undefined
  /** The number that the kernel assigns. */
  readonly handle?: number | undefined
}

/** A set, or a map from keys to verdicts or data. */
export interface NamedSet extends SetDefinition {
  /** The number that the kernel assigns. */
  readonly handle?: number | undefined
  /** The elements. */
  readonly elements: readonly Element[]
}

/** A set without its elements: the content of `add set` and `add map`. */
export interface SetDefinition {
  /** Whether keys have values. */
  readonly kind: 'set' | 'map'
  /** The name of the set. */
  readonly name: string
  /** The types of the parts of a key. */
  readonly key: KeyType
  /** The types of the data of a map, or `verdict`. */
  readonly data?: readonly string[] | undefined
  /** Flags such as `dynamic`, `timeout`, `interval`. */
  readonly flags?: readonly string[] | undefined
  /** The default timeout of elements, in milliseconds. */
  readonly timeout?: number | undefined
  /** The interval of the garbage collection, in milliseconds. */
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

/** `type ipv4_addr . inet_service`, or `typeof ip saddr . tcp dport`. */
export type KeyType =
  | { readonly kind: 'type'; readonly types: readonly string[] }
  | { readonly kind: 'typeof'; readonly words: readonly string[] }

/** One element of a set or map. There may be 200,000 of them. */
export interface Element {
  /**
   * The key in nft notation: components of a concatenation separated by ` . `, each an address, a number, a name, a
   * prefix (`10.0.0.0/8`) or a range (`80-90`). Names of interfaces have no quotes. `10.96.0.1 . tcp . 80`.
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

/** The numbers of a counter. */
export interface CounterValues {
  /** The number of packets. */
  readonly packets: number
  /** The number of bytes. */
  readonly bytes: number
}

/** A verdict: ends the traversal of a chain, or continues elsewhere. */
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
  /** The selectors; more than one form a concatenation. */
  readonly left: readonly Selector[]
  /** How the sides are compared. */
  readonly operator: Operator
  /** The values that the selector is compared with. */
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
  /** A key, in the notation of `Element`; several flags are separated by commas. */
  | { readonly kind: 'value'; readonly value: string }
  /** Keys: `{ 10.0.0.0/8, 192.0.2.1 }`. */
  | { readonly kind: 'anonymous'; readonly keys: readonly string[] }
  /** `@name`. */
  | { readonly kind: 'named'; readonly set: string }

/** `meta mark & MASK == VALUE`. */
export interface MarkMatchStatement {
  /** Prints as `mark & 0x4000 != 0`. */
  readonly kind: 'markMatch'
  /** The mask; all 32 bits if the rule has no mask. */
  readonly mask: number
  /** How the masked mark is compared. */
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

/** A map: by name, or with its elements. */
export type MapOperand =
  | { readonly kind: 'anonymous'; readonly elements: readonly Element[] }
  | { readonly kind: 'named'; readonly set: string }

/** `reject`, `reject with tcp reset`. */
export interface RejectStatement {
  /** Prints as `reject`. */
  readonly kind: 'reject'
  /** The message. Default: the port-unreachable message of the family. */
  readonly with?: string | undefined
}

/** `meta mark set meta mark | 0x00004000`; with `set`, the mark becomes `value`. */
export interface MarkSetStatement {
  /** Prints as `mark set mark or 0x4000`. */
  readonly kind: 'markSet'
  /** How the mark changes. */
  readonly operation: 'or' | 'xor' | 'and' | 'set'
  /** The operand. */
  readonly value: number
}

/** Replaces the source address by one of the node. */
export interface MasqueradeStatement {
  /** Prints as `masquerade`. */
  readonly kind: 'masquerade'
  /** Whether `fully-random` follows. */
  readonly fullyRandom: boolean
}

/** `dnat to 10.0.0.1:80`, or a choice by number: `dnat ip addr . port to numgen random mod 2 map { … }`. */
export interface DnatStatement {
  /** Prints as `dnat to 10.244.1.5:8080`. */
  readonly kind: 'dnat'
  /** The family; printed in tables of both families, and before a map. */
  readonly family?: 'ip' | 'ip6' | undefined
  /** The new address and port. */
  readonly to:
    | { readonly kind: 'address'; readonly address: string; readonly port?: number | undefined }
    /** The data of the elements: addresses, or addresses and ports. */
    | { readonly kind: 'map'; readonly key: readonly Selector[]; readonly elements: readonly Element[] }
}

/** `update @name { ip saddr }`. */
export interface SetUpdateStatement {
  /** Prints as `update @affinity-X { ip saddr }`. */
  readonly kind: 'setUpdate'
  /** The change of the set. */
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

/** A statement of another program: its words unchanged, including quotes. */
export interface UnknownStatement {
  /** A statement of another kind. */
  readonly kind: 'unknown'
  /** Its words, unchanged. */
  readonly words: readonly string[]
}

/** A statement that occurs only in nft JSON. It has no text form, so it cannot be printed. */
export interface UnknownJsonStatement {
  /** A statement that only the JSON of nft contains. */
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
  /** The number that the kernel assigns. */
  readonly handle?: number | undefined
}

/** A quota, limit, flowtable, ct helper, …: the words between its braces, line by line. */
export interface UnknownObject {
  /** An object of another kind. */
  readonly kind: 'unknown'
  /** `quota`, `ct helper`. */
  readonly type: string
  /** The name of the object. */
  readonly name: string
  /** Its lines, each as words. */
  readonly lines: readonly (readonly string[])[]
  /** The number that the kernel assigns. */
  readonly handle?: number | undefined
}
