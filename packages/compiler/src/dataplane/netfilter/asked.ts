/**
 * What rules ask of the fields a packet came with. Two packets of which all of this is told alike go the same way, whatever
 * else tells them apart; for addresses and ports that are written down as destinations see `Place`.
 */
export interface Asked {
  /** Addresses, networks (`10.0.0.0/8`) and ranges (`10.0.0.1-10.0.0.9`) that sources are held against. */
  readonly sources: Set<string>
  /** Ports and ranges (`80-90`) that the destination port is held against, whatever the destination. */
  readonly ports: Set<string>
  /** Names of interfaces by which packets come in; a `+` at the end stands for anything. */
  readonly interfaces: Set<string>
  /** Who is asked for remembered clients, and the longest time, in seconds, for which it may remember them. */
  readonly clients: Map<string, number>
  /** Whether it makes a difference that a packet comes in by a bridge. */
  bridged: boolean
  /** Whether sources are told by being addresses of the node. */
  localSources: boolean
  /** How often rules have looked at the source. */
  sourceReads: number
}

export function nothingAsked(): Asked {
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

/** What rules name as a destination: an address, network or range, and where they name both together, a port. */
export interface Place {
  readonly address: string
  readonly port?: string | undefined
}

/** Writes down, where somebody wants to know, that the source is held against an address, network or range. */
export function noteSource(asked: Asked | undefined, text: string): void {
  if (asked === undefined) return
  asked.sources.add(text)
  asked.sourceReads++
}

/** The same where it is asked whether the source is an address of the node. */
export function noteLocalSource(asked: Asked | undefined): void {
  if (asked === undefined) return
  asked.localSources = true
  asked.sourceReads++
}
