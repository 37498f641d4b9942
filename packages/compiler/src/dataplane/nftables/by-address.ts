import { sameValue } from '../../diff/resource.js'
import { isOfList, listBehind } from '../../internal/array-of-list.js'
import { type ChunkedList, findInChunks } from '../../internal/chunked-list.js'
import { contributionsByAddress } from '../contributions-by-address.js'
import { type ByAddress, indexPlaced, type Placed, type PlacedIndex, type Within } from '../netfilter/by-address.js'
import type { ReachOf } from '../netfilter/reach.js'
import type { Statement } from './ast.js'
import { partsOf } from './keys/key-parts.js'
import { areAskedByDestination, placesOfElement, setsAskedWithoutDestination } from './places-of-elements.js'
import { type ContributedFacts, reachOfSets } from './reach-of-sets.js'
import { chainsOfElements, chainsOfRule } from './references.js'
import { type NftablesState, type SetElement, stateOfContributions, type TableContribution } from './state.js'

/** What is asked for of a compiled table, at the addresses of its elements in sets of all. */
export const partsByAddress: ByAddress<NftablesState> = contributionsByAddress({
  listOf,
  index: indexContributions,
  endpointsOf,
  reachOf: reachOfSetsIn,
  differInThese: (before, after) => sameValue(before.fixed, after.fixed) && [before, after].every(isAskedByDestination),
  withList: (state, list) => (state.fixed === undefined ? state : stateOfContributions(state.fixed, list)),
})

function listOf(state: NftablesState): ChunkedList<TableContribution> | undefined {
  return isOfList(state) && state.fixed !== undefined ? listBehind(state, 'contributions') : undefined
}

interface ContributionIndex extends PlacedIndex<TableContribution>, ContributedFacts {
  /** Sets of all that have elements of these with an address. */
  readonly addressed: ReadonlySet<string>
}

function indexContributions(contributions: readonly TableContribution[]): ContributionIndex {
  const filled = new Set<string>()
  const addressed = new Set<string>()
  const leadsTo = new Set<string>()
  for (const contribution of contributions) {
    addChainsOfOthers(leadsTo, contribution)
    for (const element of contribution.elements) {
      filled.add(element.set)
      if (!addressed.has(element.set) && placesOfElement(element) !== undefined) addressed.add(element.set)
    }
  }
  return {
    ...indexPlaced(contributions.map(placedContribution), endpointsOf),
    filled,
    addressed,
    blind: setsAskedWithoutDestination(contributions),
    leadsTo,
  }
}

function addChainsOfOthers(found: Set<string>, { chains, elements }: TableContribution): void {
  const own = new Set(chains.map(({ name }) => name))
  const add = (names: Iterable<string>) => {
    for (const name of names) if (!own.has(name)) found.add(name)
  }
  for (const { rules } of chains) for (const rule of rules) add(chainsOfRule(rule))
  add(chainsOfElements(elements.map(({ element }) => element)))
}

function indexesOf(state: NftablesState): readonly ContributionIndex[] {
  const list = listOf(state)
  return list === undefined ? [] : findInChunks(list, indexContributions)
}

/** Whether no element with an address is met by packets for others. */
function isAskedByDestination(state: NftablesState): boolean {
  const indexes = indexesOf(state)
  const addressed = unitedSets(indexes.map((index) => index.addressed))
  const blind = [setsAskedWithoutDestination(state.fixed === undefined ? [] : [state.fixed])]
  return [...blind, ...indexes.map((index) => index.blind)].every((sets) => areAskedByDestination(addressed, sets))
}

function reachOfSetsIn(state: NftablesState): ReachOf {
  const indexes = indexesOf(state)
  const facts: ContributedFacts = {
    filled: unitedSets(indexes.map(({ filled }) => filled)),
    blind: unitedSets(indexes.map(({ blind }) => blind)),
    leadsTo: unitedSets(indexes.map(({ leadsTo }) => leadsTo)),
  }
  return state.fixed === undefined ? () => undefined : reachOfSets(state.fixed, facts)
}

function unitedSets(all: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set(all.flatMap((each) => [...each]))
}

function placedContribution(contribution: TableContribution): Placed<TableContribution> {
  const places: string[] = []
  const within: Within[] = []
  for (const element of contribution.elements) {
    const addresses = placesOfElement(element)
    if (addresses === undefined) within.push(withinOf(element))
    else places.push(...addresses)
  }
  return { thing: contribution, places, within, isAnywhere: false }
}

function withinOf({ set, element }: SetElement): Within {
  const last = partsOf(element.key).at(-1) ?? ''
  return /^\d+$/.test(last) ? { name: set, port: last } : { name: set }
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
