import { jumpDestinations } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { isUserspaceChain } from '@kube-rules/compiler/internal/targets/userspace/chain-names'
import { NAT_JUMPS } from '@kube-rules/compiler/internal/targets/userspace/jumps'
import { fillInTable } from '../targets/nftables/fill-in-table.js'
import { fillInChains, fillInJumps } from '../targets/shared/fill-in-chains.js'
import type { ProxyPlace } from '../targets/state-frontend.js'
import { readProxies } from '../targets/userspace/read-proxies.js'

/** A fragment with what the mode is known to have where it is missing: its own fixed chains, and what leads to them. */
type FillIn = (fragment: NodeState) => NodeState

export const FILL_INS: { readonly [M in ProxyMode]: FillIn } = {
  iptables: (live) =>
    live.iptables === undefined ? live : { ...live, iptables: fillInChains(live.iptables, live.coverage) },
  ipvs: (live) => live,
  nftables: (live) =>
    live.nftables === undefined ? live : { ...live, nftables: fillInTable(live.nftables, live.coverage, live.family) },
  userspace: (live) =>
    live.iptables === undefined ? live : { ...live, iptables: fillInJumps(live.iptables, live.coverage, NAT_JUMPS) },
}

/** Where a state sends packets to a process of the node that goes on for them. */
type ProxyReader = (state: NodeState) => readonly ProxyPlace[]

export const PROXY_READERS: { readonly [M in ProxyMode]: ProxyReader } = {
  iptables: () => [],
  ipvs: () => [],
  nftables: () => [],
  // A large state of another mode need not be looked through.
  userspace: ({ iptables }) =>
    iptables?.tables.some(({ jumps }) => jumpDestinations(jumps).some(isUserspaceChain)) ? readProxies(iptables) : [],
}
