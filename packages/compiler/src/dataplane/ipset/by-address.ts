import { sameValue } from '../../diff/resource.js'
import { isOfList, listBehind } from '../../internal/array-of-list.js'
import { contributionsByAddress } from '../contributions-by-address.js'
import { type ByAddress, indexPlaced, type Placed, type PlacedIndex } from '../netfilter/by-address.js'
import type { EntryContribution, EntryValue, IpsetState } from './ast.js'
import { stateOfContributions } from './claims.js'

/** The entries of compiled states, at their first addresses. */
export const entriesByAddress: ByAddress<IpsetState> = contributionsByAddress({
  listOf: (state) =>
    isOfList(state) && state.definitions !== undefined ? listBehind(state, 'contributions') : undefined,
  index: indexEntries,
  endpointsOf,
  differInThese: (before, after) => sameValue(before.definitions, after.definitions),
  without: entriesWithout,
  withList: ({ definitions = [] }, list) => stateOfContributions(definitions, list),
})

function indexEntries(contributions: readonly EntryContribution[]): PlacedIndex<EntryContribution> {
  return indexPlaced(contributions.map(placedEntries), endpointsOf)
}

function placedEntries(contribution: EntryContribution): Placed<EntryContribution> {
  const { entries } = contribution
  return {
    thing: contribution,
    places: entries.flatMap(({ entry }) => ('address' in entry ? entry.address : [])),
    within: entries.flatMap(({ set: { name }, entry }) => {
      if ('address' in entry) return []
      return entry.kind === 'port' ? { name, port: String(entry.port) } : { name }
    }),
    isAnywhere: false,
  }
}

/** It makes no difference who asks for an entry, nor in which order. */
function entriesWithout(
  some: readonly EntryContribution[],
  others: readonly EntryContribution[],
): readonly EntryContribution[] {
  const known = new Set(others.flatMap(({ entries }) => entries.map(entryText)))
  return some.map(({ owner, entries }) => ({ owner, entries: entries.filter((each) => !known.has(entryText(each))) }))
}

function entryText({ set, entry }: EntryValue): string {
  return JSON.stringify([set.name, entry])
}

/** A set sends nobody anywhere. */
function endpointsOf(): readonly string[] {
  return []
}
