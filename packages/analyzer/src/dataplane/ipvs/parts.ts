import type { IpvsState } from '@kube-rules/compiler/internal/dataplane/ipvs/ast'
import { isOfList } from '@kube-rules/compiler/internal/internal/array-of-list'
import { partsOfAsked, type StateParts } from '../netfilter/parts.js'

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
