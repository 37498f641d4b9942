/**
 * A read set: all comparisons that rules make between an original packet field and a value. If two packets have the
 * same results for all these comparisons, they follow the same path. For addresses and ports that rules match as
 * destinations, see `MatchedDestination`.
 */
export interface ReadSet {
  /** The addresses, networks (`10.0.0.0/8`) and ranges (`10.0.0.1-10.0.0.9`) that rules compare the source with. */
  readonly sources: Set<string>
  /** The ports and ranges (`80-90`) that rules compare the destination port with, regardless of the destination address. */
  readonly ports: Set<string>
  /** The lookups of the destination port in port sets. If absent, `ports` contains the members of these sets. */
  readonly portLookups?: PortLookups | undefined
  /** The names of incoming interfaces that rules match on; a trailing `+` is a wildcard. */
  readonly interfaces: Set<string>
  /** The session-affinity lists that were read, with the longest timeout of each list in seconds. */
  readonly clients: Map<string, number>
  /** Whether rules distinguish packets that enter through a bridge. */
  bridged: boolean
  /** Whether rules distinguish local source addresses. */
  localSources: boolean
}

/** Lookups of the original destination port in port sets, regardless of the destination address. */
export interface PortLookups {
  /** The port sets. Rules do not distinguish two ports that are members of exactly the same sets. */
  readonly sets: Set<ReadonlySet<number>>
  /**
   * Whether the read set contains all comparisons of the port. False after a rule translates the destination, because
   * the packet may keep its port.
   */
  areComplete: boolean
}

export function createReadSet(): ReadSet {
  return {
    sources: new Set(),
    ports: new Set(),
    interfaces: new Set(),
    clients: new Map(),
    bridged: false,
    localSources: false,
  }
}

/** A destination that rules match on: an address, network or range, optionally with a port. */
export interface MatchedDestination {
  readonly address: string
  readonly port?: string | undefined
}
