import { chainOfId } from '../../dataplane/iptables/resources.js'
import type { LiveMode } from '../live-mode.js'
import { fillInChains } from '../shared/fill-in-chains.js'
import { fixedResources } from '../shared/fixed-resources.js'
import { iptablesCustody } from '../shared/iptables-custody.js'
import { isServicePortChainOfAnyAge } from '../shared/kube-chains.js'
import { readPodTraffic } from '../shared/read-pod-traffic.js'
import { attributeRules } from './attribute-rules.js'
import { cleanUp } from './clean-up.js'
import { EXPLANATIONS } from './explanations.js'
import { FILTER_CHAINS, NAT_CHAINS } from './fixed-rules.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import { readFrontends } from './read-frontends.js'

/** Mode `iptables` on a node. */
export const liveIptablesMode: LiveMode = {
  attribute: (live) => (live.iptables === undefined ? live : { ...live, iptables: attributeRules(live.iptables) }),
  fillIn: (live) =>
    live.iptables === undefined ? live : { ...live, iptables: fillInChains(live.iptables, live.fragment) },
  frontends: ({ iptables }) => (iptables === undefined ? [] : readFrontends(iptables)),
  podTraffic: ({ iptables }) => iptables && readPodTraffic(iptables),
  custody: () => ({ iptables: iptablesCustody(isOwnChain) }),
  leavesBehind: (id) => isOwnChain(chainOfId(id).chain),
  fixed: () =>
    fixedResources([
      { table: 'nat', chains: NAT_CHAINS, jumps: NAT_JUMPS },
      { table: 'filter', chains: FILTER_CHAINS, jumps: FILTER_JUMPS },
    ]),
  cleanUp,
  explanations: EXPLANATIONS,
}

const OWN_CHAINS: ReadonlySet<string> = new Set([...FILTER_CHAINS, ...NAT_CHAINS])

function isOwnChain(chain: string): boolean {
  return OWN_CHAINS.has(chain) || isServicePortChainOfAnyAge(chain)
}
