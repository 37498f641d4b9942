import type { IptablesState } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { blockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { isNamedByKubeProxy } from '@kube-rules/compiler/internal/reconcile/is-of-kube-proxy'
import type { HostFacts } from '@kube-rules/types'

/** Infers from rules of kube-proxy whether the host has its nfacct counters. */
export function readCounters({ tables }: IptablesState): HostFacts {
  const hasCounters = tables.some(({ blocks }) =>
    blocks.some((block) =>
      blockRules(block).some(
        ({ chain, matches }) => isNamedByKubeProxy(chain) && matches.some(({ kind }) => kind === 'nfacct'),
      ),
    ),
  )
  return hasCounters ? { nfacctCounters: true } : {}
}
