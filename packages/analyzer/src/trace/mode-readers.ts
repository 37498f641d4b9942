import { jumpTargetsOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { isUserspaceChain } from '@kube-rules/compiler/internal/targets/userspace/chain-names'
import { NAT_JUMPS } from '@kube-rules/compiler/internal/targets/userspace/jumps'
import { addMissingNftablesContent } from '../targets/nftables/add-missing-nftables-content.js'
import { addMissingDropRules } from '../targets/shared/add-missing-drop-rules.js'
import { addMissingFilterJumps, addMissingForwardRules } from '../targets/shared/add-missing-filter-content.js'
import { addMissingNatChains, addMissingNatJumps } from '../targets/shared/add-missing-nat-content.js'
import type { ProxyListener } from '../targets/state-frontend.js'
import { readProxyListeners } from '../targets/userspace/read-proxies.js'

/**
 * Completes a fragment with the missing standard parts of the mode. These are the static chains of the mode and the
 * jumps to its chains.
 */
type FillIn = (fragment: NodeState) => NodeState

export const MISSING_CONTENT_ADDERS: { readonly [M in ProxyMode]: FillIn } = {
  iptables: (actual) =>
    actual.iptables === undefined
      ? actual
      : {
          ...actual,
          iptables: [addMissingNatChains, addMissingForwardRules, addMissingFilterJumps, addMissingDropRules].reduce(
            (iptables, add) => add(iptables, actual.coverage),
            actual.iptables,
          ),
        },
  ipvs: (actual) => actual,
  nftables: (actual) =>
    actual.nftables === undefined
      ? actual
      : { ...actual, nftables: addMissingNftablesContent(actual.nftables, actual.coverage, actual.family) },
  userspace: (actual) =>
    actual.iptables === undefined
      ? actual
      : { ...actual, iptables: addMissingNatJumps(actual.iptables, actual.coverage, NAT_JUMPS) },
}

/** Returns the local addresses and ports where a proxy process accepts connections of service ports. */
type ProxyReader = (state: NodeState) => readonly ProxyListener[]

export const PROXY_LISTENER_READERS: { readonly [M in ProxyMode]: ProxyReader } = {
  iptables: () => [],
  ipvs: () => [],
  nftables: () => [],
  // Checks for userspace chains first, to avoid a search through a large state of another mode.
  userspace: ({ iptables }) =>
    iptables?.tables.some(({ jumps }) => jumpTargetsOf(jumps).some(isUserspaceChain))
      ? readProxyListeners(iptables)
      : [],
}
