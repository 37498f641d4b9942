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
export function addExpectedChains(actual: NodeState, expected: NodeState): NodeState {
  checkState('actual', actual)
  checkSameFamily('expected', actual, checkState('expected', expected))
  if (actual.iptables === undefined || actual.coverage === undefined) return actual
  const table = expected.iptables?.tables.find(({ name }) => name === 'filter')
  const chains = table === undefined ? new Map<string, readonly Rule[]>() : chainsOf(table)
  const rulesOf = (chain: string) =>
    belongsToKubeProxy(formatChainId('filter', chain)) ? chains.get(chain) : undefined
  return { ...actual, iptables: addAssumedFilterChains(actual.iptables, actual.coverage, rulesOf) }
}
