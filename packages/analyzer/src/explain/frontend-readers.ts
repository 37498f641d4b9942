import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { readFrontends as readIptablesFrontends } from '../targets/iptables/read-frontends.js'
import { readFrontends as readServers } from '../targets/ipvs/read-frontends.js'
import { readFrontends as readNftablesFrontends } from '../targets/nftables/read-frontends.js'
import type { StateFrontend } from '../targets/state-frontend.js'
import { readFrontends as readPortals } from '../targets/userspace/read-proxies.js'

/** Returns the distinct addresses and ports of Services in a state. */
type FrontendReader = (state: NodeState) => readonly StateFrontend[]

export const FRONTEND_READERS: { readonly [M in ProxyMode]: FrontendReader } = {
  iptables: ({ iptables }) => (iptables === undefined ? [] : readIptablesFrontends(iptables)),
  ipvs: readServers,
  nftables: ({ nftables }) => (nftables === undefined ? [] : readNftablesFrontends(nftables)),
  userspace: ({ iptables }) => (iptables === undefined ? [] : readPortals(iptables)),
}
