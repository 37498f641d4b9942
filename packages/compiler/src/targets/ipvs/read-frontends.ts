import { familyOf } from '@kube-rules/types'
import { serverOwners } from '../../dataplane/ipvs/claims.js'
import { virtualServerId } from '../../dataplane/ipvs/resources.js'
import type { NodeState } from '../../dataplane/node-state.js'
import type { StateFrontend } from '../state-frontend.js'

/** The addresses and ports of the virtual servers of a state. */
export function readFrontends({ family, ipvs }: NodeState): readonly StateFrontend[] {
  if (ipvs === undefined) return []
  const owners = serverOwners(ipvs)
  return ipvs.virtualServers
    .filter(({ address }) => familyOf(address) === family)
    .map((server) => {
      const { address, port, protocol } = server
      return { owner: owners.get(virtualServerId(server)) ?? '', protocol, address, port }
    })
}
