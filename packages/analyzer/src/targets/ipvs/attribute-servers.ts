import type { AddressState } from '@kube-rules/compiler/internal/dataplane/addresses/ast'
import { serverOwners } from '@kube-rules/compiler/internal/dataplane/ipvs/claims'
import { virtualServerId } from '@kube-rules/compiler/internal/dataplane/ipvs/resources'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { kernelSetName } from '@kube-rules/compiler/internal/targets/ipvs/sets'

/** With the addresses of `kube-ipvs0`, where these were not dumped, and with the owners of virtual servers that should be there. */
export function attributeServers(live: NodeState, wanted?: NodeState): NodeState {
  const addresses = live.addresses ?? addressesOfSets(live)
  return withOwners(addresses === undefined ? live : { ...live, addresses }, wanted)
}

/** The addresses of `kube-ipvs0`, which one of the sets holds too. */
function addressesOfSets({ family, ipset }: NodeState): AddressState | undefined {
  const bound = ipset?.sets.find(({ name }) => name === kernelSetName('KUBE-IPVS-IPS', family))
  return bound && { addresses: bound.entries.flatMap((entry) => (entry.kind === 'ip' ? entry.address : [])).sort() }
}

/** Virtual servers do not tell whose they are: those that should be there are of whom they should be. */
function withOwners(live: NodeState, wanted: NodeState | undefined): NodeState {
  if (live.ipvs === undefined || wanted?.ipvs === undefined) return live
  const owners = serverOwners(wanted.ipvs)
  const contributions = live.ipvs.virtualServers.map((server) => ({
    owner: owners.get(virtualServerId(server)) ?? '',
    virtualServers: [server],
    yieldingServers: [],
  }))
  return { ...live, ipvs: { ...live.ipvs, contributions } }
}
