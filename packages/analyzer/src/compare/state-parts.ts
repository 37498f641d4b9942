import type { MatchedDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/read-set'
import {
  type NodeState,
  type StateOf,
  type Subsystem,
  subsystemsIn,
} from '@kube-rules/compiler/internal/dataplane/node-state'
import { destinationsOfEntries } from '../dataplane/ipset/evaluate.js'
import { partsOfEntries } from '../dataplane/ipset/parts.js'
import { destinationsOfRules } from '../dataplane/iptables/evaluate/evaluate.js'
import { partsOfTables } from '../dataplane/iptables/parts.js'
import { partsOfServers } from '../dataplane/ipvs/parts.js'
import type { StateParts } from '../dataplane/netfilter/parts.js'
import { placesOfTables } from '../dataplane/nftables/evaluate/places.js'
import { partsOfContributions } from '../dataplane/nftables/parts.js'

/** Reads the states of a subsystem. */
interface StateReader<State> {
  /** Yields the destinations that its rules match on. */
  destinations(state: State): Iterable<MatchedDestination>
  /** Returns the parts of a state with their matching destinations; undefined if they cannot be determined. */
  partsOf(state: State): StateParts | undefined
}

export const STATE_READERS: { readonly [S in Subsystem]: StateReader<StateOf<S>> } = {
  nftables: { destinations: placesOfTables, partsOf: partsOfContributions },
  ipset: { destinations: destinationsOfEntries, partsOf: partsOfEntries },
  ipvs: {
    destinations: ({ virtualServers }) => virtualServers.map(({ address, port }) => ({ address, port: String(port) })),
    partsOf: partsOfServers,
  },
  addresses: {
    destinations: ({ addresses }) => addresses.map((address) => ({ address })),
    // No packet matches bound addresses; they only define which addresses are local.
    partsOf: () => ({ shared: [], parts: [] }),
  },
  iptables: { destinations: destinationsOfRules, partsOf: partsOfTables },
}

function readerOf(name: Subsystem): StateReader<unknown> {
  return STATE_READERS[name]
}

/** Returns the destinations that the rules of a state mention. */
export function namedDestinations(state: NodeState): readonly MatchedDestination[] {
  return subsystemsIn(state).flatMap((name) => [...readerOf(name).destinations(state[name])])
}

/** Returns the parts of a state in all subsystems; undefined if those of one cannot be determined. */
export function partsOfState(state: NodeState): StateParts | undefined {
  if (state.coverage !== undefined) return undefined
  const partsBySubsystem = subsystemsIn(state).map((name) => readerOf(name).partsOf(state[name]))
  const parts = partsBySubsystem.flatMap((each) => each ?? [])
  if (parts.length < partsBySubsystem.length) return undefined
  return { shared: parts.flatMap(({ shared }) => shared), parts: parts.flatMap((each) => each.parts) }
}
