import { checkSameFamily, checkState } from '@kube-rules/compiler/internal/arguments/check-state'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { enableMemo } from '@kube-rules/compiler/internal/internal/memo'
import { PROXY_MODES, type ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { annotateRuleOwners } from '../targets/iptables/annotate-rules.js'
import { annotateServerOwners } from '../targets/ipvs/annotate-servers.js'
import { annotateTableOwners } from '../targets/nftables/annotate-table.js'

/**
 * Annotates each item in the state of a node with the owning service port (`default/web:http/TCP`), if the owner can be
 * determined.
 *
 * Owners come from the rules themselves and from `expected`, the compiled state. A trace through the annotated state
 * reports the owners of matching rules. If the addresses of `kube-ipvs0` were not dumped, the addresses of the
 * KUBE-IPVS-IPS set are used.
 */
export function annotateOwners(actual: NodeState, expected?: NodeState | undefined): NodeState {
  checkState('actual', actual)
  if (expected !== undefined) checkSameFamily('expected', actual, checkState('expected', expected))
  // A copy, because `actual` belongs to the caller and may change. Further traces reuse the index of the copy.
  return enableMemo({ ...PROXY_MODES.reduce((state, name) => ATTRIBUTIONS[name](state, expected), actual) })
}

/**
 * Annotates a state with the owners that can be determined for one mode. If the resources of a subsystem do not show
 * their owners, the owners may come from another subsystem.
 */
type Attribution = (actual: NodeState, expected?: NodeState) => NodeState

const ATTRIBUTIONS: { readonly [M in ProxyMode]: Attribution } = {
  iptables: (actual) =>
    actual.iptables === undefined ? actual : { ...actual, iptables: annotateRuleOwners(actual.iptables) },
  ipvs: annotateServerOwners,
  nftables: (actual) =>
    actual.nftables === undefined ? actual : { ...actual, nftables: annotateTableOwners(actual.nftables) },
  // Needs no annotation of its own: the annotation for iptables mode also reads the owners in rule comments of
  // userspace mode.
  userspace: (actual) => actual,
}
