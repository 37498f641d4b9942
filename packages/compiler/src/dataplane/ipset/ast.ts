/** The ipsets of one network namespace, in order of creation. */
export interface IpsetState {
  readonly sets: readonly IpSet[]
  /** The entries by owner; the entries of `sets` are their union. Absent if unknown. */
  readonly contributions?: readonly EntryContribution[] | undefined
  /** The sets without entries, in addition to `contributions`. */
  readonly definitions?: readonly SetDefinition[] | undefined
}

/** The entries that one owner requires. */
export interface EntryContribution {
  /** The owner, an opaque label. */
  readonly owner: string
  readonly entries: readonly EntryValue[]
}

/** An entry with its set. */
export interface EntryValue {
  readonly set: SetDefinition
  readonly entry: Entry
}

export type IpSet = HashSet | PortBitmap | UnknownSet

export type HashSetType = 'hash:ip' | 'hash:ip,port' | 'hash:ip,port,ip' | 'hash:ip,port,net'

export type SetType = HashSetType | 'bitmap:port'

/** The family in ipset notation: `inet` is IPv4. */
export type SetFamily = 'inet' | 'inet6'

/** A set of addresses, optionally with a port and a second address or network. */
export interface HashSet {
  readonly type: HashSetType
  /** One word of 1 to 31 bytes. */
  readonly name: string
  readonly family: SetFamily
  /** The initial number of buckets; the kernel increases it with the content. */
  readonly hashsize: number
  /** The maximum number of entries. */
  readonly maxelem: number
  /** Further words of the create line, unchanged, such as `comment` or `timeout 300`. */
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

/** A set of another type, with the words after its name (`hash:net family inet …`) unchanged. */
export interface UnknownSet {
  readonly type: 'unknown'
  readonly name: string
  readonly words: readonly string[]
  readonly entries: readonly Entry[]
}

/** A set without its entries: the content of the `create` line. */
export type SetDefinition = Omit<HashSet, 'entries'> | Omit<PortBitmap, 'entries'> | Omit<UnknownSet, 'entries'>

/** An entry. Its kind is the type of its set without `hash:` or `bitmap:`. */
export type Entry = IpEntry | IpPortEntry | IpPortIpEntry | IpPortNetEntry | PortEntry | UnknownEntry

export type EntryKind = Entry['kind']

export interface EntryOptions {
  /** Words after the entry, without quotes: `['comment', 'default/web:http']`. */
  readonly options?: readonly string[] | undefined
}

/** An entry such as `10.0.0.1`. */
export interface IpEntry extends EntryOptions {
  readonly kind: 'ip'
  readonly address: string
}

/** An entry such as `10.0.0.1,tcp:80`. */
export interface IpPortEntry extends EntryOptions {
  readonly kind: 'ip,port'
  readonly address: string
  /** `tcp`, `udp`, `sctp` or `udplite`, or its number. */
  readonly protocol: string
  readonly port: number
}

/** An entry such as `10.0.0.1,tcp:80,10.0.0.2`. */
export interface IpPortIpEntry extends EntryOptions {
  readonly kind: 'ip,port,ip'
  readonly address: string
  readonly protocol: string
  readonly port: number
  readonly secondAddress: string
}

/** An entry such as `10.0.0.1,tcp:80,192.0.2.0/25`. */
export interface IpPortNetEntry extends EntryOptions {
  readonly kind: 'ip,port,net'
  readonly address: string
  readonly protocol: string
  readonly port: number
  /** A network, or an address for a network of one address. */
  readonly network: string
}

/** An entry such as `30080`. */
export interface PortEntry extends EntryOptions {
  readonly kind: 'port'
  readonly port: number
}

/**
 * An entry that ipset accepts but this tree does not model: a range, a host name, a named port, an entry of another set
 * type.
 */
export interface UnknownEntry extends EntryOptions {
  readonly kind: 'unknown'
  readonly text: string
}
