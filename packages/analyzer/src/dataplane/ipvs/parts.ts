import type { IpvsState } from '@kube-rules/compiler/internal/dataplane/ipvs/ast'
import { isOfList } from '@kube-rules/compiler/internal/internal/array-of-list'
import { partsOfReadSet, type StateParts } from '../netfilter/parts.js'

/** Returns the virtual servers by owner, at their addresses. Undefined if the owners are unknown. */
export function partsOfServers(state: IpvsState): StateParts | undefined {
  const { contributions, unknownLines } = state
  if (contributions === undefined || !isOfList(state)) return undefined
  return partsOfReadSet(
    [unknownLines],
    contributions.map((contribution) => {
      const { owner, virtualServers, fallbackServers } = contribution
      return {
        owners: [owner],
        value: () => ({ virtualServers, fallbackServers }),
        madeOf: contribution,
        destinations: [...virtualServers, ...fallbackServers].map(({ address }) => address),
        names: [],
      }
    }),
  )
}
