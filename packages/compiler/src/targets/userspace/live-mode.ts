import { chainOfId } from '../../dataplane/iptables/resources.js'
import type { LiveMode } from '../live-mode.js'
import { iptablesCustody } from '../shared/iptables-custody.js'
import { isUserspaceChain } from './chain-names.js'
import { cleanUp } from './clean-up.js'
import { readFrontends, readHost, readProxies } from './read-proxies.js'

/** Mode `userspace` on a node. Owners are told by the comments of rules, as in mode iptables, which tells those of both. */
export const liveUserspaceMode: LiveMode = {
  attribute: (live) => live,
  frontends: ({ iptables }) => (iptables === undefined ? [] : readFrontends(iptables)),
  podTraffic: () => undefined,
  proxies: ({ iptables }) => (iptables === undefined ? [] : readProxies(iptables)),
  host: ({ iptables }) => (iptables === undefined ? {} : readHost(iptables)),
  custody: () => ({ iptables: iptablesCustody(isUserspaceChain) }),
  leavesBehind: (id) => isUserspaceChain(chainOfId(id).chain),
  cleanUp,
}
