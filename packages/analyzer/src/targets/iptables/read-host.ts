import type { IptablesState } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import type { HostFacts } from '@kube-rules/types'

/** Infers from rules of kube-proxy whether the host has its nfacct counters. */
export function readHostCounters({ tables }: IptablesState): HostFacts {
  const hasCounters = tables.some(({ blocks }) =>
    blocks.some((block) =>
      getBlockRules(block).some(
        ({ chain, matches }) => chain.startsWith('KUBE-') && matches.some(({ kind }) => kind === 'nfacct'),
      ),
    ),
  )
  return hasCounters ? { nfacctCounters: true } : {}
}
