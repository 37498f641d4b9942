import {
  type NodeState,
  presentSubsystemsOf,
  type StateOf,
  type Subsystem,
} from '@kube-rules/compiler/internal/dataplane/node-state'
import { hasLazyArray } from '@kube-rules/compiler/internal/internal/lazy-array'
import { destinationsOfEntries } from '../dataplane/ipset/matched-destinations.js'
import { splitIpsetByOwner } from '../dataplane/ipset/parts.js'
import { destinationsOfRules } from '../dataplane/iptables/matched-destinations.js'
import { splitIptablesByOwner } from '../dataplane/iptables/parts.js'
import { splitIpvsByOwner } from '../dataplane/ipvs/parts.js'
import type { PortFilter, StatePartition } from '../dataplane/netfilter/parts.js'
import { destinationsOfTables } from '../dataplane/nftables/matched-destinations.js'
import { splitNftablesByOwner } from '../dataplane/nftables/parts.js'
import type { MatchedDestination } from '../program/read-set.js'

/** Reads the states of a subsystem. */
interface StateReader<State> {
  /** Yields the destinations that the rules of the state match on. */
  destinations(state: State): Iterable<MatchedDestination>
  /**
   * Splits a state into the content of each owner, with the destinations that this content matches. Undefined if this
   * is impossible, so that states must be compared as a whole in all subsystems. `isDump` means that the rules were not
   * compiled. `mayBeOfPart` accepts the ports that select a part for packets to any address.
   */
  partsOf(state: State, isDump: boolean, mayBeOfPart?: PortFilter): StatePartition | undefined
}

export const STATE_PARTITIONERS: { readonly [S in Subsystem]: StateReader<StateOf<S>> } = {
  nftables: {
    destinations: destinationsOfTables,
    partsOf: (state, _, mayBeOfPart) => splitNftablesByOwner(state, mayBeOfPart) ?? whole(state),
  },
  ipset: {
    destinations: destinationsOfEntries,
    // A dump is not split by owner, because rules of other programs may look up the source of any packet in a set.
    partsOf: (state, isDump, mayBeOfPart) =>
      (isDump ? undefined : splitIpsetByOwner(state, mayBeOfPart)) ?? whole(state),
  },
  ipvs: {
    destinations: ({ virtualServers }) => virtualServers.map(({ address, port }) => ({ address, port: String(port) })),
    partsOf: (state) => splitIpvsByOwner(state) ?? whole(state),
  },
  addresses: {
    destinations: ({ addresses }) => addresses.map((address) => ({ address })),
    // The device addresses are not split by owner, because no packet matches them. They only define which addresses are
    // local.
    partsOf: () => ({ shared: [], parts: [] }),
  },
  iptables: {
    destinations: destinationsOfRules,
    partsOf: (state, _, mayBeOfPart) => splitIptablesByOwner(state, mayBeOfPart),
  },
}

function readerOf(name: Subsystem): StateReader<unknown> {
  return STATE_PARTITIONERS[name]
}

/** Returns the destinations that the rules of a state mention. */
export function destinationsOfState(state: NodeState): readonly MatchedDestination[] {
  return presentSubsystemsOf(state).flatMap((name) => [...readerOf(name).destinations(state[name])])
}

/**
 * Returns a state, split into the content of each owner in all subsystems; undefined if it cannot be split. The content
 * that packets to any address may match is shared, unless `mayBeOfPart` accepts its ports.
 */
export function splitStateByOwner(state: NodeState, mayBeOfPart?: PortFilter): StatePartition | undefined {
  const { coverage, iptables } = state
  if (coverage !== undefined) return undefined
  const isDump = iptables !== undefined && !iptables.tables.some(hasLazyArray)
  const parts: StatePartition[] = []
  for (const name of presentSubsystemsOf(state)) {
    const own = readerOf(name).partsOf(state[name], isDump, mayBeOfPart)
    if (own === undefined) return undefined
    parts.push(own)
  }
  return { shared: parts.flatMap(({ shared }) => shared), parts: parts.flatMap((each) => each.parts) }
}

/**
 * Returns a state as one unsplit item that applies to every destination. As a result, no two destinations have the same
 * template.
 */
function whole(state: unknown): StatePartition {
  return { shared: [state], parts: [] }
}
