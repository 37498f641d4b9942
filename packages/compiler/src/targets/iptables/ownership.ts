import { parseChainId } from '../../dataplane/iptables/resources.js'
import type { ModeOwnership } from '../ownership.js'
import { createIptablesResourceOwnership } from '../shared/iptables-ownership.js'
import { isServicePortChainOfAnyVersion } from '../shared/kube-chains.js'
import { createStaticResources } from '../shared/static-resources.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import { LEGACY_INPUT_JUMP } from './legacy-jumps.js'
import { FILTER_CHAINS, NAT_CHAINS } from './static-rules.js'

/** Defines which node resources belong to kube-proxy in `iptables` mode. */
export const iptablesOwnership: ModeOwnership = {
  resources: () => ({ iptables: createIptablesResourceOwnership(isOwnChain) }),
  isModeSpecific: (id) => isOwnChain(parseChainId(id).chain),
  staticResources: () =>
    createStaticResources([
      { table: 'nat', chains: NAT_CHAINS, jumps: NAT_JUMPS },
      { table: 'filter', chains: FILTER_CHAINS, jumps: [LEGACY_INPUT_JUMP, ...FILTER_JUMPS] },
    ]),
}

const OWN_CHAINS: ReadonlySet<string> = new Set([...FILTER_CHAINS, ...NAT_CHAINS])

function isOwnChain(chain: string): boolean {
  return OWN_CHAINS.has(chain) || isServicePortChainOfAnyVersion(chain)
}
