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
  /** The number of comparisons of the source. */
  sourceReads: number
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
    sourceReads: 0,
  }
}

/** A destination that rules match on: an address, network or range, optionally with a port. */
export interface MatchedDestination {
  readonly address: string
  readonly port?: string | undefined
}

/** Records that a rule compares the source with an address, network or range. Does nothing if no read set is recorded. */
export function recordSourceRead(readSet: ReadSet | undefined, text: string): void {
  if (readSet === undefined) return
  readSet.sources.add(text)
  readSet.sourceReads++
}

/** Records that a rule checks whether the source is a local address. Does nothing if no read set is recorded. */
export function recordLocalSourceRead(readSet: ReadSet | undefined): void {
  if (readSet === undefined) return
  readSet.localSources = true
  readSet.sourceReads++
}

/** Records that a rule looks up the destination port in a set. Does nothing if no read set is recorded. */
export function recordPortSet(readSet: ReadSet | undefined, ports: ReadonlySet<number>): void {
  if (readSet === undefined) return
  if (readSet.portLookups !== undefined) readSet.portLookups.sets.add(ports)
  else for (const port of ports) readSet.ports.add(String(port))
}

/** Records that the outcome may depend on the destination port through comparisons that the read set does not contain. */
export function recordUnknownPortReads(readSet: ReadSet | undefined): void {
  if (readSet?.portLookups !== undefined) readSet.portLookups.areComplete = false
}
