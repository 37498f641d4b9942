import { checkString } from '@kube-rules/compiler/internal/arguments/check-argument'
import { checkDump } from '@kube-rules/compiler/internal/arguments/check-state'
import type { IptablesState } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import type { Dump, NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { isProxyMode, type ProxyMode, parseProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { type HostFacts, IP_FAMILIES } from '@kube-rules/types'
import { inferUserspaceHostFacts } from '../targets/userspace/read-proxies.js'

/**
 * Infers host facts from a node dump. In iptables mode, the host facts are the nfacct counters. In userspace mode, they
 * are the local ports of kube-proxy and the host IP for locally generated packets. An empty mode is the default mode.
 * Returns no facts for other modes and for an unknown mode.
 *
 * Pass the facts to `compile` before you verify the node. If they are missing, the rules that depend on them are
 * reported as drift.
 */
export function inferHost(dump: Dump, mode: string): HostFacts {
  checkDump('dump', dump)
  checkString('mode', mode, 'the name of a mode')
  const known = mode === '' ? parseProxyMode(mode) : mode
  if (!isProxyMode(known)) return {}
  const facts = IP_FAMILIES.map((family) => HOST_READERS[known](dump[family]))
  const proxyPorts = Object.assign({}, ...facts.map((host) => host.proxyPorts))
  const hostIP = facts.find((host) => host.hostIP !== undefined)?.hostIP
  return {
    ...(facts.some((host) => host.nfacctCounters) && { nfacctCounters: true }),
    ...(Object.keys(proxyPorts).length > 0 && { proxyPorts }),
    ...(hostIP !== undefined && { hostIP }),
  }
}

/** Returns the host facts in the rules of one state. */
type HostReader = (state: NodeState) => HostFacts

const HOST_READERS: { readonly [M in ProxyMode]: HostReader } = {
  iptables: ({ iptables }) => (iptables === undefined ? {} : inferIptablesHostFacts(iptables)),
  ipvs: () => ({}),
  nftables: () => ({}),
  userspace: ({ iptables }) => (iptables === undefined ? {} : inferUserspaceHostFacts(iptables)),
}

/** Infers from the rules of kube-proxy whether the host has the nfacct counters that kube-proxy uses. */
function inferIptablesHostFacts({ tables }: IptablesState): HostFacts {
  const hasCounters = tables.some(({ blocks }) =>
    blocks.some((block) =>
      getBlockRules(block).some(
        ({ chain, matches }) => chain.startsWith('KUBE-') && matches.some(({ kind }) => kind === 'nfacct'),
      ),
    ),
  )
  return hasCounters ? { nfacctCounters: true } : {}
}
