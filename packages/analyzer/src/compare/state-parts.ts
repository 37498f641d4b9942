import type { MatchedDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/read-set'
import {
  type NodeState,
  presentSubsystemsOf,
  type StateOf,
  type Subsystem,
} from '@kube-rules/compiler/internal/dataplane/node-state'
import { isBackedByList } from '@kube-rules/compiler/internal/internal/lazy-array'
import { destinationsOfEntries } from '../dataplane/ipset/evaluate.js'
import { splitIpsetByOwner } from '../dataplane/ipset/parts.js'
import { destinationsOfRules } from '../dataplane/iptables/evaluate/evaluate.js'
import { splitIptablesByOwner } from '../dataplane/iptables/parts.js'
import { splitIpvsByOwner } from '../dataplane/ipvs/parts.js'
import type { StateParts } from '../dataplane/netfilter/parts.js'
import { destinationsOfTables } from '../dataplane/nftables/evaluate/destinations-of-tables.js'
import { splitNftablesByOwner } from '../dataplane/nftables/parts.js'

/** Reads the states of a subsystem. */
interface StateReader<State> {
  /** Yields the destinations that its rules match on. */
  destinations(state: State): Iterable<MatchedDestination>
  /** Returns the parts of a state with their matching destinations; undefined if they cannot be determined. */
  partsOf(state: State): StateParts | undefined
}

export const STATE_READERS: { readonly [S in Subsystem]: StateReader<StateOf<S>> } = {
  nftables: { destinations: destinationsOfTables, partsOf: splitNftablesByOwner },
  ipset: { destinations: destinationsOfEntries, partsOf: splitIpsetByOwner },
  ipvs: {
    destinations: ({ virtualServers }) => virtualServers.map(({ address, port }) => ({ address, port: String(port) })),
    partsOf: splitIpvsByOwner,
  },
  addresses: {
    destinations: ({ addresses }) => addresses.map((address) => ({ address })),
    // No packet matches bound addresses; they only define which addresses are local.
    partsOf: () => ({ shared: [], parts: [] }),
  },
  iptables: { destinations: destinationsOfRules, partsOf: splitIptablesByOwner },
}

function readerOf(name: Subsystem): StateReader<unknown> {
  return STATE_READERS[name]
}

/** Returns the destinations that the rules of a state mention. */
export function destinationsOfState(state: NodeState): readonly MatchedDestination[] {
  return presentSubsystemsOf(state).flatMap((name) => [...readerOf(name).destinations(state[name])])
}

/** Returns the parts of a state in all subsystems; undefined if the parts of one subsystem cannot be determined. */
export function splitStateByOwner(state: NodeState): StateParts | undefined {
  if (state.coverage !== undefined) return undefined
  const { iptables } = state
  const rules = iptables && STATE_READERS.iptables.partsOf(iptables)
  if (iptables !== undefined && rules === undefined) return undefined
  // In a dump, rules of other programs may look up the source of any packet in a set.
  const isDump = iptables !== undefined && !iptables.tables.some(isBackedByList)
  const parts = presentSubsystemsOf(state).map((name) => {
    const own = name === 'iptables' ? rules : readerOf(name).partsOf(state[name])
    return own === undefined || (isDump && name === 'ipset') ? whole(state[name]) : own
  })
  return { shared: parts.flatMap(({ shared }) => shared), parts: parts.flatMap((each) => each.parts) }
}

/**
 * Returns a state as a whole, without parts: all of it applies to every destination, so that no two destinations have
 * equal templates.
 */
function whole(state: unknown): StateParts {
  return { shared: [state], parts: [] }
}
