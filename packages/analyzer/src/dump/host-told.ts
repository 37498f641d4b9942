import type { Dump, NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { type CompiledMode, isCompiledMode } from '@kube-rules/compiler/internal/targets/modes'
import { type Host, IP_FAMILIES } from '@kube-rules/types'
import { readHost } from '../targets/userspace/read-proxies.js'

/**
 * What the rules of a node tell of its host that a mode takes as given: in mode userspace the ports at which kube-proxy takes
 * connections, and the address to which packets of the node itself are sent. Nothing for other modes, and for a text that is
 * none. Whoever compares a node with its objects gives it to `compile`, or else every port may be another one.
 */
export function hostTold(dump: Dump, mode: string): Host {
  if (!isCompiledMode(mode)) return {}
  const told = IP_FAMILIES.map((family) => HOST_READERS[mode](dump[family]))
  const proxyPorts = Object.assign({}, ...told.map((host) => host.proxyPorts))
  const hostIP = told.find((host) => host.hostIP !== undefined)?.hostIP
  return {
    ...(Object.keys(proxyPorts).length > 0 && { proxyPorts }),
    ...(hostIP !== undefined && { hostIP }),
  }
}

/** What a state tells of the machine that is an input of the mode. */
type HostReader = (state: NodeState) => Host

const HOST_READERS: { readonly [M in CompiledMode]: HostReader } = {
  iptables: () => ({}),
  ipvs: () => ({}),
  nftables: () => ({}),
  userspace: ({ iptables }) => (iptables === undefined ? {} : readHost(iptables)),
}
