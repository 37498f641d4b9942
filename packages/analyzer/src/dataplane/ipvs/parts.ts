import type { IpvsState } from '@kube-rules/compiler/internal/dataplane/ipvs/ast'
import { hasLazyArray } from '@kube-rules/compiler/internal/internal/lazy-array'
import { createStatePartition, type StatePartition } from '../netfilter/parts.js'

/**
 * Returns the virtual servers by owner. The destinations of each part are the addresses of its virtual servers.
 * Undefined if the owners are unknown.
 */
export function splitIpvsByOwner(state: IpvsState): StatePartition | undefined {
  const { contributions, unknownLines } = state
  if (contributions === undefined || !hasLazyArray(state)) return undefined
  return createStatePartition(
    [unknownLines],
    contributions.map((contribution) => {
      const { owner, virtualServers, fallbackServers } = contribution
      return {
        owners: [owner],
        value: () => ({ virtualServers, fallbackServers }),
        source: contribution,
        destinations: [...virtualServers, ...fallbackServers].map(({ address }) => address),
        names: [],
      }
    }),
  )
}
