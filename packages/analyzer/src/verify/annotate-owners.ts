import { checkSameFamily, checkState } from '@kube-rules/compiler/internal/arguments/check-state'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { PROXY_MODES, type ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { annotateRuleOwners } from '../targets/iptables/annotate-rules.js'
import { annotateServerOwners } from '../targets/ipvs/annotate-servers.js'
import { annotateTableOwners } from '../targets/nftables/annotate-table.js'

/**
 * Annotates the state of a node with the owning service port (`default/web:http/TCP`) of each item, if it can be
 * determined.
 *
 * Uses the rules themselves and `expected`, the compiled state. A trace through the result reports the owners of
 * matching rules. If the addresses of `kube-ipvs0` were not dumped, those of the set KUBE-IPVS-IPS are used.
 */
export function annotateOwners(live: NodeState, expected?: NodeState | undefined): NodeState {
  checkState('live', live)
  if (expected !== undefined) checkSameFamily('expected', live, checkState('expected', expected))
  return PROXY_MODES.reduce((state, name) => ATTRIBUTIONS[name](state, expected), live)
}

/**
 * Annotates a state with the owners that one mode can determine. A subsystem without owners may get them from another
 * subsystem.
 */
type Attribution = (live: NodeState, expected?: NodeState) => NodeState

const ATTRIBUTIONS: { readonly [M in ProxyMode]: Attribution } = {
  iptables: (live) => (live.iptables === undefined ? live : { ...live, iptables: annotateRuleOwners(live.iptables) }),
  ipvs: annotateServerOwners,
  nftables: (live) => (live.nftables === undefined ? live : { ...live, nftables: annotateTableOwners(live.nftables) }),
  // Owners come from the comments of rules. The annotation of mode iptables reads the comments of both modes.
  userspace: (live) => live,
}
