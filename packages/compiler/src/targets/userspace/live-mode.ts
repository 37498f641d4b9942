import type { IptablesState } from '../../dataplane/iptables/ast.js'
import { jumpDestinations } from '../../dataplane/iptables/chains.js'
import { chainOfId } from '../../dataplane/iptables/resources.js'
import type { LiveMode } from '../live-mode.js'
import { fillInJumps } from '../shared/fill-in-chains.js'
import { fixedResources } from '../shared/fixed-resources.js'
import { iptablesCustody } from '../shared/iptables-custody.js'
import { FILTER_CHAINS, isUserspaceChain, NAT_CHAINS } from './chain-names.js'
import { cleanUp } from './clean-up.js'
import { EXPLANATIONS } from './explanations.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import { readFrontends, readHost, readProxies } from './read-proxies.js'

/** Mode `userspace` on a node. Owners are told by the comments of rules, as in mode iptables, which tells those of both. */
export const liveUserspaceMode: LiveMode = {
  attribute: (live) => live,
  fillIn: (live) =>
    live.iptables === undefined ? live : { ...live, iptables: fillInJumps(live.iptables, live.fragment, NAT_JUMPS) },
  frontends: ({ iptables }) => (iptables === undefined ? [] : readFrontends(iptables)),
  podTraffic: () => undefined,
  proxies: ({ iptables }) => (iptables !== undefined && leadsToProcess(iptables) ? readProxies(iptables) : []),
  host: ({ iptables }) => (iptables === undefined ? {} : readHost(iptables)),
  custody: () => ({ iptables: iptablesCustody(isUserspaceChain) }),
  leavesBehind: (id) => isUserspaceChain(chainOfId(id).chain),
  fixed: () =>
    fixedResources([
      { table: 'nat', chains: NAT_CHAINS, jumps: NAT_JUMPS },
      { table: 'filter', chains: FILTER_CHAINS, jumps: FILTER_JUMPS },
    ]),
  cleanUp,
  explanations: EXPLANATIONS,
}

/** Whether packets may come to the chains of the mode: a large state of another mode need not be looked through. */
function leadsToProcess({ tables }: IptablesState): boolean {
  return tables.some(({ jumps }) => jumpDestinations(jumps).some(isUserspaceChain))
}
