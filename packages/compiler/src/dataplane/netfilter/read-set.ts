/**
 * The read set: every comparison of an original field of a packet that rules make. Two packets with equal results for
 * everything in the read set follow the same path. For addresses and ports that rules match as destinations, see
 * `MatchedDestination`.
 */
export interface ReadSet {
  /** Addresses, networks (`10.0.0.0/8`) and ranges (`10.0.0.1-10.0.0.9`) that sources are checked against. */
  readonly sources: Set<string>
  /** Ports and ranges (`80-90`) that the destination port is checked against, regardless of the destination address. */
  readonly ports: Set<string>
  /** Names of incoming interfaces; a trailing `+` is a wildcard. */
  readonly interfaces: Set<string>
  /** Session-affinity lists that were read, with their longest timeout in seconds. */
  readonly clients: Map<string, number>
  /** Whether rules distinguish packets that enter through a bridge. */
  bridged: boolean
  /** Whether rules distinguish local source addresses. */
  localSources: boolean
  /** The number of reads of the source. */
  sourceReads: number
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

/** Records that the source is checked against an address, network or range, if a read set is recorded. */
export function recordSource(readSet: ReadSet | undefined, text: string): void {
  if (readSet === undefined) return
  readSet.sources.add(text)
  readSet.sourceReads++
}

/** Records that a rule checks for a local source address, if a read set is recorded. */
export function recordLocalSource(readSet: ReadSet | undefined): void {
  if (readSet === undefined) return
  readSet.localSources = true
  readSet.sourceReads++
}
