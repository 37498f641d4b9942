import { isOfList, listBehind } from '../../internal/array-of-list.js'
import { itemsOf } from '../../internal/chunked-list.js'
import { partsOfAsked, type StateParts } from '../netfilter/parts.js'
import { placesOfElements, setsAskedWithoutDestination } from './places-of-elements.js'
import type { NftablesState } from './state.js'

/**
 * What is asked for of a compiled table, each with its chains and sets for itself, at the addresses of its elements in sets of all.
 * Undefined for tables that are not compiled.
 */
export function partsOfContributions(state: NftablesState): StateParts | undefined {
  const { fixed } = state
  const list = isOfList(state) ? listBehind(state, 'contributions') : undefined
  if (fixed === undefined || list === undefined) return undefined
  const contributions = itemsOf(list)
  const blind = setsAskedWithoutDestination([fixed, ...contributions])
  return partsOfAsked(
    [fixed],
    contributions.map((contribution) => {
      const { owner, chains, sets, elements } = contribution
      return {
        owner,
        value: () => ({ chains, sets, elements }),
        madeOf: contribution,
        places: elements.some(({ set }) => blind.has(set)) ? undefined : placesOfElements(elements),
        names: [...chains, ...sets].map(({ name }) => name),
      }
    }),
  )
}
