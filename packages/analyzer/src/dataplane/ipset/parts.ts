import type { EntryContribution, EntryValue, IpsetState } from '@kube-rules/compiler/internal/dataplane/ipset/ast'
import { isOfList } from '@kube-rules/compiler/internal/internal/array-of-list'
import { partsOfReadSet, type StateParts } from '../netfilter/parts.js'

/**
 * Returns the entries by owner, at their first addresses, which rules compare with destinations. Undefined if the
 * owners are unknown.
 */
export function partsOfEntries(state: IpsetState): StateParts | undefined {
  const { contributions, definitions } = state
  if (contributions === undefined || definitions === undefined || !isOfList(state)) return undefined
  return partsOfReadSet(
    definitions,
    contributions.map(({ owner, entries }) => ({
      owners: [owner],
      value: () => entries.map(entryShape),
      madeOf: entries,
      destinations: placesOf(entries),
      names: [],
    })),
  )
}

/** Returns the addresses; undefined if an entry has none. */
function placesOf(entries: EntryContribution['entries']): readonly string[] | undefined {
  const places = entries.map(({ entry }) => ('address' in entry ? entry.address : undefined))
  return places.some((place) => place === undefined) ? undefined : places.flatMap((place) => place ?? [])
}

/** Returns an entry without its comment. */
function entryShape({ set: { name }, entry: { options, ...rest } }: EntryValue): unknown {
  const at = options?.indexOf('comment') ?? -1
  return { name, ...rest, options: at < 0 ? options : options?.filter((_, index) => index !== at && index !== at + 1) }
}
