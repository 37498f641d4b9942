import type { IptablesState } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import type { HostFacts } from '@kube-rules/types'

/** Infers from the rules of kube-proxy whether the host has the nfacct counters that kube-proxy uses. */
export function inferHostFacts({ tables }: IptablesState): HostFacts {
  const hasCounters = tables.some(({ blocks }) =>
    blocks.some((block) =>
      getBlockRules(block).some(
        ({ chain, matches }) => chain.startsWith('KUBE-') && matches.some(({ kind }) => kind === 'nfacct'),
      ),
    ),
  )
  return hasCounters ? { nfacctCounters: true } : {}
}
