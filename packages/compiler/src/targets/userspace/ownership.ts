import { parseChainId } from '../../dataplane/iptables/resources.js'
import type { ModeOwnership } from '../ownership.js'
import { createIptablesResourceOwnership } from '../shared/iptables-ownership.js'
import { createStaticResources } from '../shared/static-resources.js'
import { FILTER_CHAINS, isUserspaceChain, NAT_CHAINS } from './chain-names.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'

/** Defines which node resources belong to kube-proxy in `userspace` mode. */
export const userspaceOwnership: ModeOwnership = {
  resources: () => ({ iptables: createIptablesResourceOwnership(isUserspaceChain) }),
  isModeSpecific: (id) => isUserspaceChain(parseChainId(id).chain),
  staticResources: () =>
    createStaticResources([
      { table: 'nat', chains: NAT_CHAINS, jumps: NAT_JUMPS },
      { table: 'filter', chains: FILTER_CHAINS, jumps: FILTER_JUMPS },
    ]),
}
