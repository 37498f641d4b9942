import { isOfList } from '../../internal/array-of-list.js'
import { partsOfAsked, type StateParts } from '../netfilter/parts.js'
import type { IpvsState } from './ast.js'

/** The virtual servers that owners ask for, at their addresses. Undefined where that is not known. */
export function partsOfServers(state: IpvsState): StateParts | undefined {
  const { contributions, unknownLines } = state
  if (contributions === undefined || !isOfList(state)) return undefined
  return partsOfAsked(
    [unknownLines],
    contributions.map((contribution) => {
      const { owner, virtualServers, yieldingServers } = contribution
      return {
        owner,
        value: () => ({ virtualServers, yieldingServers }),
        madeOf: contribution,
        places: [...virtualServers, ...yieldingServers].map(({ address }) => address),
        names: [],
      }
    }),
  )
}
