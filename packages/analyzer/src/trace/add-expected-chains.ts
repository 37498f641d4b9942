import { checkSameFamily, checkState } from '@kube-rules/compiler/internal/arguments/check-state'
import type { Rule } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { chainsOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { formatChainId } from '@kube-rules/compiler/internal/dataplane/iptables/resources'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { belongsToKubeProxy } from '@kube-rules/compiler/internal/reconcile/belongs-to-kube-proxy'
import { addAssumedFilterChains } from '../targets/shared/add-missing-filter-content.js'

/**
 * Completes the filter table of a partial dump with the chains of kube-proxy that its rules jump to, as `expected`
 * defines them. The rules have a comment that names the assumption, and `trace` still reports that these chains are not
 * in the dump. Returns a complete state unchanged.
 */
export function addExpectedChains(live: NodeState, expected: NodeState): NodeState {
  checkState('live', live)
  checkSameFamily('expected', live, checkState('expected', expected))
  if (live.iptables === undefined || live.coverage === undefined) return live
  const table = expected.iptables?.tables.find(({ name }) => name === 'filter')
  const chains = table === undefined ? new Map<string, readonly Rule[]>() : chainsOf(table)
  const rulesOf = (chain: string) =>
    belongsToKubeProxy(formatChainId('filter', chain)) ? chains.get(chain) : undefined
  return { ...live, iptables: addAssumedFilterChains(live.iptables, live.coverage, rulesOf) }
}
