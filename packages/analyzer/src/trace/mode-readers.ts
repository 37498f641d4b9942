import { jumpTargetsOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { isUserspaceChain } from '@kube-rules/compiler/internal/targets/userspace/chain-names'
import { NAT_JUMPS } from '@kube-rules/compiler/internal/targets/userspace/jumps'
import { fillInTable } from '../targets/nftables/fill-in-table.js'
import { fillInChains, fillInJumps } from '../targets/shared/fill-in-chains.js'
import type { ProxyListener } from '../targets/state-frontend.js'
import { readProxyListeners } from '../targets/userspace/read-proxies.js'

/**
 * Completes a fragment with the missing standard parts of the mode. These are the static chains of the mode and the
 * jumps to its chains.
 */
type FillIn = (fragment: NodeState) => NodeState

export const FILL_IN_FUNCTIONS: { readonly [M in ProxyMode]: FillIn } = {
  iptables: (live) =>
    live.iptables === undefined ? live : { ...live, iptables: fillInChains(live.iptables, live.coverage) },
  ipvs: (live) => live,
  nftables: (live) =>
    live.nftables === undefined ? live : { ...live, nftables: fillInTable(live.nftables, live.coverage, live.family) },
  userspace: (live) =>
    live.iptables === undefined ? live : { ...live, iptables: fillInJumps(live.iptables, live.coverage, NAT_JUMPS) },
}

/** Returns the local addresses and ports where a proxy process accepts connections of service ports. */
type ProxyReader = (state: NodeState) => readonly ProxyListener[]

export const PROXY_READERS: { readonly [M in ProxyMode]: ProxyReader } = {
  iptables: () => [],
  ipvs: () => [],
  nftables: () => [],
  // Checks for userspace chains first, to avoid a search through a large state of another mode.
  userspace: ({ iptables }) =>
    iptables?.tables.some(({ jumps }) => jumpTargetsOf(jumps).some(isUserspaceChain))
      ? readProxyListeners(iptables)
      : [],
}
