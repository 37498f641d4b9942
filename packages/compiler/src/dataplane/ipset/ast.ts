/** The IP sets of one network namespace, in order of creation. */
export interface IpsetState {
  /** The sets. */
  readonly sets: readonly IpSet[]
  /** The entries by owner. The entries of `sets` are the union of these entries. Absent if the owners are unknown. */
  readonly contributions?: readonly EntryContribution[] | undefined
  /** The definitions of the sets, for a state with `contributions`. */
  readonly definitions?: readonly SetDefinition[] | undefined
}

/** The entries that one owner requires. */
export interface EntryContribution {
  /** The owner as an opaque label. */
  readonly owner: string
  /** The required entries, each with its set. */
  readonly entries: readonly EntryWithSet[]
}

/** An entry with its set. */
export interface EntryWithSet {
  /** The definition of the set that contains the entry. */
  readonly set: SetDefinition
  /** The entry. */
  readonly entry: Entry
}

/** A set of addresses or ports. */
export type IpSet = HashSet | PortBitmap | UnknownSet

/** The types of hash sets that kube-proxy uses. */
export type HashSetType = 'hash:ip' | 'hash:ip,port' | 'hash:ip,port,ip' | 'hash:ip,port,net'

/** The types of sets that kube-proxy uses. */
export type SetType = HashSetType | 'bitmap:port'

/** The family in ipset notation: `inet` is IPv4. */
export type SetFamily = 'inet' | 'inet6'

/** A set of addresses, optionally with a port and a second address or network. */
export interface HashSet {
  /** The type, which determines the kind of its entries. */
  readonly type: HashSetType
  /** The name: one word of 1 to 31 bytes. */
  readonly name: string
  /** The address family. */
  readonly family: SetFamily
  /** The initial number of buckets. The kernel increases the number as the set grows. */
  readonly hashsize: number
  /** The maximum number of entries. */
  readonly maxelem: number
  /** The words of the `create` line that no other field represents, unchanged, such as `comment` or `timeout 300`. */
  readonly options?: readonly string[] | undefined
  /** The entries; their order has no meaning. */
  readonly entries: readonly Entry[]
}

/** A `bitmap:port` set with port numbers from `firstPort` to `lastPort`. */
export interface PortBitmap {
  /** Prints as `bitmap:port`. */
  readonly type: 'bitmap:port'
  /** The name: one word of 1 to 31 bytes. */
  readonly name: string
  /** The lowest valid port. */
  readonly firstPort: number
  /** The highest valid port. */
  readonly lastPort: number
  /** The words of the `create` line that no other field represents, unchanged. */
  readonly options?: readonly string[] | undefined
  /** The ports. */
  readonly entries: readonly Entry[]
}

/** A set with a type that kube-proxy does not use. The words after its name (`hash:net family inet …`) are unchanged. */
export interface UnknownSet {
  /** A type that this model does not represent. */
  readonly type: 'unknown'
  /** The name: one word of 1 to 31 bytes. */
  readonly name: string
  /** The words after the name, unchanged. */
  readonly words: readonly string[]
  /** The entries, as text. */
  readonly entries: readonly Entry[]
}

/** A set without its entries: the content of the `create` line. */
export type SetDefinition = Omit<HashSet, 'entries'> | Omit<PortBitmap, 'entries'> | Omit<UnknownSet, 'entries'>

/** An entry of a set. The kind of the entry is the set type without `hash:` or `bitmap:`. */
export type Entry = IpEntry | IpPortEntry | IpPortIpEntry | IpPortNetEntry | PortEntry | UnknownEntry

export type EntryKind = Entry['kind']

/** The fields of all entries. */
export interface EntryOptions {
  /** Words after the entry, without quotes: `['comment', 'default/web:http']`. */
  readonly options?: readonly string[] | undefined
}

/** An entry such as `10.0.0.1`. */
export interface IpEntry extends EntryOptions {
  /** Prints as `10.96.0.1`. */
  readonly kind: 'ip'
  /** The address. */
  readonly address: string
}

/** An entry such as `10.0.0.1,tcp:80`. */
export interface IpPortEntry extends EntryOptions {
  /** Prints as `10.96.0.1,tcp:80`. */
  readonly kind: 'ip,port'
  /** The address. */
  readonly address: string
  /** The protocol: `tcp`, `udp`, `sctp` or `udplite`, or a protocol number. */
  readonly protocol: string
  /** The port. */
  readonly port: number
}

/** An entry such as `10.0.0.1,tcp:80,10.0.0.2`. */
export interface IpPortIpEntry extends EntryOptions {
  /** Prints as `10.244.1.5,tcp:8080,10.244.1.5`. */
  readonly kind: 'ip,port,ip'
  /** The address. */
  readonly address: string
  /** The protocol, in lower case. */
  readonly protocol: string
  /** The port. */
  readonly port: number
  /** The second address. */
  readonly secondAddress: string
}

/** An entry such as `10.0.0.1,tcp:80,192.0.2.0/25`. */
export interface IpPortNetEntry extends EntryOptions {
  /** Prints as `10.96.0.1,tcp:80,192.0.2.0/24`. */
  readonly kind: 'ip,port,net'
  /** The address. */
  readonly address: string
  /** The protocol, in lower case. */
  readonly protocol: string
  /** The port. */
  readonly port: number
  /** A network, or an address that represents a network with only this address. */
  readonly network: string
}

/** An entry such as `30080`. */
export interface PortEntry extends EntryOptions {
  /** Prints as `30080`. */
  readonly kind: 'port'
  /** The port. */
  readonly port: number
}

/**
 * An entry that ipset accepts but that this model does not represent: a range, a host name, a named port, or an entry
 * of another set type.
 */
export interface UnknownEntry extends EntryOptions {
  /** An entry that this model does not represent. */
  readonly kind: 'unknown'
  /** The words of the entry, unchanged. */
  readonly text: string
}
