import type { EntryContribution, EntryWithSet, IpsetState } from '@kube-rules/compiler/internal/dataplane/ipset/ast'
import { hasLazyArray } from '@kube-rules/compiler/internal/internal/lazy-array'
import { createStatePartition, type OwnedContent, type PortFilter, type StatePartition } from '../netfilter/parts.js'

/**
 * Splits the entries of all sets by owner. The destinations of each owner are the first addresses of its entries,
 * because rules compare these addresses with the destination of a packet. Undefined if the owners are unknown.
 */
export function splitIpsetByOwner(state: IpsetState, mayBeOfPart?: PortFilter): StatePartition | undefined {
  const { contributions, definitions } = state
  if (contributions === undefined || definitions === undefined || !hasLazyArray(state)) return undefined
  return createStatePartition(
    definitions,
    contributions.map(({ owner, entries }) => ({
      owners: [owner],
      value: () => entries.map(entryShape),
      source: entries,
      ...placesOf(entries),
      names: [],
    })),
    mayBeOfPart,
  )
}

/**
 * Returns the first addresses of entries, and the ports of entries without address. The addresses are undefined if one
 * entry has neither.
 */
function placesOf(entries: EntryContribution['entries']): Pick<OwnedContent, 'destinations' | 'ports'> {
  const destinations = entries.flatMap(({ entry }) => ('address' in entry ? entry.address : []))
  const ports = entries.flatMap(({ entry }) => (entry.kind === 'port' ? entry.port : []))
  return { destinations: destinations.length + ports.length < entries.length ? undefined : destinations, ports }
}

/** Returns an entry without its comment. */
function entryShape({ set: { name }, entry: { options, ...rest } }: EntryWithSet): unknown {
  const at = options?.indexOf('comment') ?? -1
  return { name, ...rest, options: at < 0 ? options : options?.filter((_, index) => index !== at && index !== at + 1) }
}
