/** The sets of one network namespace, in order of creation. */
export interface IpsetState {
  readonly sets: readonly IpSet[]
  /** Who asks for which entries; those of `sets` are these put together. Absent where that is not known. */
  readonly contributions?: readonly EntryContribution[] | undefined
  /** Beside `contributions`: the sets, without entries. */
  readonly definitions?: readonly SetDefinition[] | undefined
}

/** The entries that one owner asks for. */
export interface EntryContribution {
  /** An opaque label. */
  readonly owner: string
  readonly entries: readonly EntryValue[]
}

/** An entry, and the set it is in. */
export interface EntryValue {
  readonly set: SetDefinition
  readonly entry: Entry
}

export type IpSet = HashSet | PortBitmap | UnknownSet

export type HashSetType = 'hash:ip' | 'hash:ip,port' | 'hash:ip,port,ip' | 'hash:ip,port,net'

export type SetType = HashSetType | 'bitmap:port'

/** Spelled as ipset spells it: `inet` is IPv4. */
export type SetFamily = 'inet' | 'inet6'

/** A set of addresses, alone or with a port and a second address or network. */
export interface HashSet {
  readonly type: HashSetType
  /** One word of 1 to 31 bytes. */
  readonly name: string
  readonly family: SetFamily
  /** The number of buckets at the start; the kernel grows it with the content. */
  readonly hashsize: number
  /** How many entries the set takes. */
  readonly maxelem: number
  /** Further words of the create line, such as `comment` or `timeout 300`, as they were. */
  readonly options?: readonly string[] | undefined
  readonly entries: readonly Entry[]
}

/** A set of port numbers from `firstPort` to `lastPort`. */
export interface PortBitmap {
  readonly type: 'bitmap:port'
  readonly name: string
  readonly firstPort: number
  readonly lastPort: number
  readonly options?: readonly string[] | undefined
  readonly entries: readonly Entry[]
}

/** A set of another type: the words that follow its name (`hash:net family inet …`), kept as they were. */
export interface UnknownSet {
  readonly type: 'unknown'
  readonly name: string
  readonly words: readonly string[]
  readonly entries: readonly Entry[]
}

/** A set without its entries: what the `create` line says. */
export type SetDefinition = Omit<HashSet, 'entries'> | Omit<PortBitmap, 'entries'> | Omit<UnknownSet, 'entries'>

/** An entry's kind is its set's type without `hash:` or `bitmap:`. */
export type Entry = IpEntry | IpPortEntry | IpPortIpEntry | IpPortNetEntry | PortEntry | UnknownEntry

export type EntryKind = Entry['kind']

export interface EntryOptions {
  /** Words after the entry, without quotes: `['comment', 'default/web:http']`. */
  readonly options?: readonly string[] | undefined
}

/** `10.0.0.1`. */
export interface IpEntry extends EntryOptions {
  readonly kind: 'ip'
  readonly address: string
}

/** `10.0.0.1,tcp:80`. */
export interface IpPortEntry extends EntryOptions {
  readonly kind: 'ip,port'
  readonly address: string
  /** `tcp`, `udp`, `sctp` or `udplite`, or its number. */
  readonly protocol: string
  readonly port: number
}

/** `10.0.0.1,tcp:80,10.0.0.2`. */
export interface IpPortIpEntry extends EntryOptions {
  readonly kind: 'ip,port,ip'
  readonly address: string
  readonly protocol: string
  readonly port: number
  readonly secondAddress: string
}

/** `10.0.0.1,tcp:80,192.0.2.0/25`. */
export interface IpPortNetEntry extends EntryOptions {
  readonly kind: 'ip,port,net'
  readonly address: string
  readonly protocol: string
  readonly port: number
  /** A network, or an address for one that holds a single address. */
  readonly network: string
}

/** `30080`. */
export interface PortEntry extends EntryOptions {
  readonly kind: 'port'
  readonly port: number
}

/** What ipset reads and this tree does not: a range, a host name, a port by name, an entry of another set type. */
export interface UnknownEntry extends EntryOptions {
  readonly kind: 'unknown'
  readonly text: string
}
