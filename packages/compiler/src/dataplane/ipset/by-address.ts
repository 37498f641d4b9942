import { sameValue } from '../../diff/resource.js'
import { isOfList, listBehind } from '../../internal/array-of-list.js'
import { contributionsByAddress } from '../contributions-by-address.js'
import { type ByAddress, indexPlaced, type Placed, type PlacedIndex } from '../netfilter/by-address.js'
import type { EntryContribution, IpsetState } from './ast.js'
import { stateOfContributions } from './claims.js'

/** The entries of compiled states, at their first addresses. */
export const entriesByAddress: ByAddress<IpsetState> = contributionsByAddress({
  listOf: (state) =>
    isOfList(state) && state.definitions !== undefined ? listBehind(state, 'contributions') : undefined,
  index: indexEntries,
  endpointsOf,
  differInThese: (before, after) => sameValue(before.definitions, after.definitions),
  withList: ({ definitions = [] }, list) => stateOfContributions(definitions, list),
})

function indexEntries(contributions: readonly EntryContribution[]): PlacedIndex<EntryContribution> {
  return indexPlaced(contributions.map(placedEntries), endpointsOf)
}

function placedEntries(contribution: EntryContribution): Placed<EntryContribution> {
  const places = contribution.entries.map(({ entry }) => ('address' in entry ? entry.address : undefined))
  return {
    thing: contribution,
    places: places.flatMap((place) => place ?? []),
    isAnywhere: places.includes(undefined),
  }
}

/** A set sends nobody anywhere. */
function endpointsOf(): readonly string[] {
  return []
}
