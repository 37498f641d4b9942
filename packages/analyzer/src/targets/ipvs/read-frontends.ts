import { findServerOwners } from '@kube-rules/compiler/internal/dataplane/ipvs/claims'
import { formatVirtualServerId } from '@kube-rules/compiler/internal/dataplane/ipvs/resources'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { familyOf } from '@kube-rules/types/internal/ip'
import type { StateFrontend } from '../state-frontend.js'

/** Returns the addresses and ports of the virtual servers of a state. */
export function readFrontends({ family, ipvs }: NodeState): readonly StateFrontend[] {
  if (ipvs === undefined) return []
  const owners = findServerOwners(ipvs)
  return ipvs.virtualServers
    .filter(({ address }) => familyOf(address) === family)
    .map((server) => {
      const { address, port, protocol } = server
      return { owner: owners.get(formatVirtualServerId(server)) ?? '', protocol, address, port }
    })
}
