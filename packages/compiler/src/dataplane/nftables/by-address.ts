import { sameValue } from '../../diff/resource.js'
import { isOfList, listBehind } from '../../internal/array-of-list.js'
import { type ChunkedList, findInChunks } from '../../internal/chunked-list.js'
import { contributionsByAddress } from '../contributions-by-address.js'
import { type ByAddress, indexPlaced, type Placed, type PlacedIndex } from '../netfilter/by-address.js'
import type { Statement } from './ast.js'
import { partsOf } from './keys/key-parts.js'
import { areAskedByDestination, placesOfElements, setsAskedWithoutDestination } from './places-of-elements.js'
import { type NftablesState, stateOfContributions, type TableContribution } from './state.js'

/** What is asked for of a compiled table, at the addresses of its elements in sets of all. */
export const partsByAddress: ByAddress<NftablesState> = contributionsByAddress({
  listOf,
  index: indexContributions,
  endpointsOf,
  differInThese: (before, after) => sameValue(before.fixed, after.fixed) && [before, after].every(isAskedByDestination),
  withList: (state, list) => (state.fixed === undefined ? state : stateOfContributions(state.fixed, list)),
})

function listOf(state: NftablesState): ChunkedList<TableContribution> | undefined {
  return isOfList(state) && state.fixed !== undefined ? listBehind(state, 'contributions') : undefined
}

interface ContributionIndex extends PlacedIndex<TableContribution> {
  /** Sets of all that have elements of these. */
  readonly filled: ReadonlySet<string>
  /** Sets that rules of these look into whatever the destination is. */
  readonly blind: ReadonlySet<string>
}

function indexContributions(contributions: readonly TableContribution[]): ContributionIndex {
  return {
    ...indexPlaced(contributions.map(placedContribution), endpointsOf),
    filled: setsFilledBy(contributions),
    blind: setsAskedWithoutDestination(contributions),
  }
}

function setsFilledBy(contributions: readonly TableContribution[]): ReadonlySet<string> {
  const sets = new Set<string>()
  for (const { elements } of contributions) for (const { set } of elements) sets.add(set)
  return sets
}

/** Whether no element is met by packets for other addresses than its own. */
function isAskedByDestination(state: NftablesState): boolean {
  const list = listOf(state)
  const indexes = list === undefined ? [] : findInChunks(list, indexContributions)
  const filled = new Set(indexes.flatMap((index) => [...index.filled]))
  const blind = [setsAskedWithoutDestination(state.fixed === undefined ? [] : [state.fixed])]
  return [...blind, ...indexes.map((index) => index.blind)].every((sets) => areAskedByDestination(filled, sets))
}

function placedContribution(contribution: TableContribution): Placed<TableContribution> {
  const places = placesOfElements(contribution.elements)
  return { thing: contribution, places: places ?? [], isAnywhere: places === undefined }
}

function endpointsOf({ chains }: TableContribution): readonly string[] {
  const endpoints = new Set<string>()
  for (const { rules } of chains)
    for (const { statements } of rules) for (const statement of statements) addEndpoints(endpoints, statement)
  return [...endpoints]
}

function addEndpoints(endpoints: Set<string>, statement: Statement): void {
  if (statement.kind !== 'dnat') return
  const { to } = statement
  if (to.kind === 'address') endpoints.add(to.address)
  else for (const { data } of to.elements) endpoints.add(partsOf(data ?? '')[0] ?? '')
}
