import type { EntryContribution, EntryWithSet, IpsetState } from '@kube-rules/compiler/internal/dataplane/ipset/ast'
import { hasLazyArray } from '@kube-rules/compiler/internal/internal/lazy-array'
import { createStatePartition, type StatePartition } from '../netfilter/parts.js'

/**
 * Splits the entries of all sets by owner. The destinations of each owner are the first addresses of its entries,
 * because rules compare these addresses with the destination of a packet. Undefined if the owners are unknown.
 */
export function splitIpsetByOwner(state: IpsetState): StatePartition | undefined {
  const { contributions, definitions } = state
  if (contributions === undefined || definitions === undefined || !hasLazyArray(state)) return undefined
  return createStatePartition(
    definitions,
    contributions.map(({ owner, entries }) => ({
      owners: [owner],
      value: () => entries.map(entryShape),
      source: entries,
      destinations: placesOf(entries),
      names: [],
    })),
  )
}

/** Returns the first addresses of entries; undefined if one entry has no address. */
function placesOf(entries: EntryContribution['entries']): readonly string[] | undefined {
  const places = entries.map(({ entry }) => ('address' in entry ? entry.address : undefined))
  return places.some((place) => place === undefined) ? undefined : places.flatMap((place) => place ?? [])
}

/** Returns an entry without its comment. */
function entryShape({ set: { name }, entry: { options, ...rest } }: EntryWithSet): unknown {
  const at = options?.indexOf('comment') ?? -1
  return { name, ...rest, options: at < 0 ? options : options?.filter((_, index) => index !== at && index !== at + 1) }
}
