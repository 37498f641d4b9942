import type { Dump, NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { isProxyMode, type ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { type HostFacts, IP_FAMILIES } from '@kube-rules/types'
import { readHost } from '../targets/userspace/read-proxies.js'

/**
 * Infers host facts that a mode needs from a node dump: in mode userspace, the local ports of kube-proxy and the host
 * IP for locally generated packets. Returns no facts for other modes and for an unknown mode.
 *
 * Pass them to `compile` before a comparison of a node with its objects. If they are missing, every port may differ.
 */
export function inferHost(dump: Dump, mode: string): HostFacts {
  if (!isProxyMode(mode)) return {}
  const told = IP_FAMILIES.map((family) => HOST_READERS[mode](dump[family]))
  const proxyPorts = Object.assign({}, ...told.map((host) => host.proxyPorts))
  const hostIP = told.find((host) => host.hostIP !== undefined)?.hostIP
  return {
    ...(Object.keys(proxyPorts).length > 0 && { proxyPorts }),
    ...(hostIP !== undefined && { hostIP }),
  }
}

/** What a state tells of the machine that is an input of the mode. */
type HostReader = (state: NodeState) => HostFacts

const HOST_READERS: { readonly [M in ProxyMode]: HostReader } = {
  iptables: () => ({}),
  ipvs: () => ({}),
  nftables: () => ({}),
  userspace: ({ iptables }) => (iptables === undefined ? {} : readHost(iptables)),
}
