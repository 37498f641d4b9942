/** One table of one family, as commands make it and as `nft list` prints it. */
export interface Table {
  readonly family: TableFamily
  readonly name: string
  /** Such as `dormant`. */
  readonly flags?: readonly string[] | undefined
  readonly comment?: string | undefined
  readonly handle?: number | undefined
  /** In order of creation. */
  readonly chains: readonly Chain[]
  /** Sets and maps, in order of creation. */
  readonly sets: readonly NamedSet[]
  /** Counters, quotas, flowtables and whatever else has a name. */
  readonly objects: readonly NamedObject[]
}

export type TableFamily = 'ip' | 'ip6' | 'inet' | 'arp' | 'bridge' | 'netdev'

/** A chain: with `base` the kernel calls it, without only rules and maps lead there. */
export interface Chain extends ChainDefinition {
  readonly handle?: number | undefined
  readonly rules: readonly Rule[]
}

/** A chain without its rules: what `add chain` says. */
export interface ChainDefinition {
  readonly name: string
  readonly base?: BaseChain | undefined
  readonly comment?: string | undefined
}

/** Where a chain hangs: `type filter hook input priority 0; policy accept;`. */
export interface BaseChain {
  /** `filter`, `nat` or `route`. */
  readonly type: string
  readonly hook: string
  /** Only of hooks that belong to devices. */
  readonly devices?: readonly string[] | undefined
  readonly priority: number
  /** What happens to a packet at the end. Absent where it is not said: `accept` in a new chain, else what it was. */
  readonly policy?: ChainPolicy | undefined
}

export type ChainPolicy = 'accept' | 'drop'

/** Statements from left to right: those that match must all hold for what follows them to happen. */
export interface Rule {
  readonly statements: readonly Statement[]
  readonly comment?: string | undefined
  readonly handle?: number | undefined
}

/** A set, or a map from keys to verdicts or data. */
export interface NamedSet extends SetDefinition {
  readonly handle?: number | undefined
  readonly elements: readonly Element[]
}

/** A set without its elements: what `add set` and `add map` say. */
export interface SetDefinition {
  readonly kind: 'set' | 'map'
  readonly name: string
  readonly key: KeyType
  /** Only of a map: the types of its data, or `verdict`. */
  readonly data?: readonly string[] | undefined
  /** Such as `dynamic`, `timeout`, `interval`. */
  readonly flags?: readonly string[] | undefined
  /** How long an element stays that does not say it itself, in milliseconds. */
  readonly timeout?: number | undefined
  /** In milliseconds. */
  readonly gcInterval?: number | undefined
  readonly size?: number | undefined
  /** `performance` or `memory`. */
  readonly policy?: string | undefined
  readonly autoMerge?: boolean | undefined
  /** Every element counts. */
  readonly counts?: boolean | undefined
  readonly comment?: string | undefined
}

/** `type ipv4_addr . inet_service`, or `typeof ip saddr . tcp dport`. */
export type KeyType =
  | { readonly kind: 'type'; readonly types: readonly string[] }
  | { readonly kind: 'typeof'; readonly words: readonly string[] }

/** One element of a set or map. There may be 200,000 of them. */
export interface Element {
  /**
   * As nft prints it: parts of a concatenation with ` . ` between them, each an address, a number, a name, a prefix
   * (`10.0.0.0/8`) or a range (`80-90`). Names of interfaces stand without quotes. `10.96.0.1 . tcp . 80`.
   */
  readonly key: string
  /** Only in a verdict map. */
  readonly verdict?: Verdict | undefined
  /** Only in a map to data, spelled like a key. */
  readonly data?: string | undefined
  readonly comment?: string | undefined
  /** In milliseconds. */
  readonly timeout?: number | undefined
  /** What is left of the time, in milliseconds. */
  readonly expires?: number | undefined
  readonly counter?: Counts | undefined
}

export interface Counts {
  readonly packets: number
  readonly bytes: number
}

/** What ends the way of a packet through a chain, or leads it on. */
export type Verdict =
  | { readonly kind: 'accept' | 'drop' | 'return' | 'continue' }
  | { readonly kind: 'jump' | 'goto'; readonly chain: string }

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

export type StatementKind = Statement['kind']

/** `ip saddr != 10.0.0.0/8`, `ip daddr . meta l4proto @set`, `tcp dport { 80, 443 }`. */
export interface MatchStatement {
  readonly kind: 'match'
  /** More than one are a concatenation. */
  readonly left: readonly Selector[]
  readonly operator: Operator
  readonly right: Operand
}

export type Operator = '==' | '!=' | '<' | '>' | '<=' | '>='

/** What a packet is asked for. */
export type Selector =
  /** `ip saddr`, `th dport`. */
  | { readonly kind: 'payload'; readonly protocol: string; readonly field: string }
  /** `meta l4proto`; `iifname` too. */
  | { readonly kind: 'meta'; readonly key: string }
  /** `ct state`. */
  | { readonly kind: 'ct'; readonly key: string }
  /** `fib saddr type`, `fib daddr . iif oif`. */
  | { readonly kind: 'fib'; readonly flags: readonly string[]; readonly result: string }
  /** `numgen random mod 2`. */
  | { readonly kind: 'numgen'; readonly mode: string; readonly mod: number; readonly offset: number }

export type Operand =
  /** A key, spelled as in `Element`; of several flags, commas between them. */
  | { readonly kind: 'value'; readonly value: string }
  /** `{ 10.0.0.0/8, 192.0.2.1 }`: keys. */
  | { readonly kind: 'anonymous'; readonly keys: readonly string[] }
  /** `@name`. */
  | { readonly kind: 'named'; readonly set: string }

/** `meta mark & MASK == VALUE`. */
export interface MarkMatchStatement {
  readonly kind: 'markMatch'
  /** All 32 bits where none is written. */
  readonly mask: number
  readonly operator: '==' | '!='
  readonly value: number
}

/** `ip daddr . th dport vmap @name`, `numgen random mod 2 vmap { 0 : goto a, 1 : goto b }`. */
export interface VmapStatement {
  readonly kind: 'vmap'
  readonly key: readonly Selector[]
  readonly map: MapOperand
}

export type MapOperand =
  | { readonly kind: 'anonymous'; readonly elements: readonly Element[] }
  | { readonly kind: 'named'; readonly set: string }

/** `reject`, `reject with tcp reset`. */
export interface RejectStatement {
  readonly kind: 'reject'
  /** Absent: the family's port-unreachable. */
  readonly with?: string | undefined
}

/** `meta mark set meta mark | 0x00004000`; with `set`, the mark becomes `value`. */
export interface MarkSetStatement {
  readonly kind: 'markSet'
  readonly operation: 'or' | 'xor' | 'and' | 'set'
  readonly value: number
}

export interface MasqueradeStatement {
  readonly kind: 'masquerade'
  readonly fullyRandom: boolean
}

/** `dnat to 10.0.0.1:80`, or one of several by a number: `dnat ip addr . port to numgen random mod 2 map { … }`. */
export interface DnatStatement {
  readonly kind: 'dnat'
  /** Written in tables of both families, and before a map. */
  readonly family?: 'ip' | 'ip6' | undefined
  readonly to:
    | { readonly kind: 'address'; readonly address: string; readonly port?: number | undefined }
    /** The data of the elements are addresses, or addresses and ports. */
    | { readonly kind: 'map'; readonly key: readonly Selector[]; readonly elements: readonly Element[] }
}

/** `update @name { ip saddr }`. */
export interface SetUpdateStatement {
  readonly kind: 'setUpdate'
  readonly operation: 'add' | 'update' | 'delete'
  readonly set: string
  readonly key: readonly Selector[]
  /** In milliseconds. */
  readonly timeout?: number | undefined
}

/** `counter packets 0 bytes 0`. */
export interface CounterStatement extends Counts {
  readonly kind: 'counter'
}

/** `counter name "c"`. */
export interface NamedCounterStatement {
  readonly kind: 'namedCounter'
  readonly name: string
}

/** Another program's statement: its words as they were, quotes included. */
export interface UnknownStatement {
  readonly kind: 'unknown'
  readonly words: readonly string[]
}

/** A statement that only the JSON of nft tells of. It has no words, so it cannot be printed. */
export interface UnknownJsonStatement {
  readonly kind: 'unknownJson'
  readonly json: string
}

export type NamedObject = NamedCounter | UnknownObject

export interface NamedCounter extends Counts {
  readonly kind: 'counter'
  readonly name: string
  readonly comment?: string | undefined
  readonly handle?: number | undefined
}

/** A quota, limit, flowtable, ct helper, …: the words between its braces, line by line. */
export interface UnknownObject {
  readonly kind: 'unknown'
  /** `quota`, `ct helper`. */
  readonly type: string
  readonly name: string
  readonly lines: readonly (readonly string[])[]
  readonly handle?: number | undefined
}
