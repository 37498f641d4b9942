import { type Host, IP_FAMILIES } from '@kube-rules/types'
import type { Dump } from './parse.js'
import { liveModeOf } from './targets/live-mode-of.js'
import { isCompiledMode } from './targets/mode-of.js'

/**
 * What the rules of a node tell of its host that a mode takes as given: in mode userspace the ports at which kube-proxy takes
 * connections, and the address to which packets of the node itself are sent. Nothing for other modes, and for a text that is
 * none. Whoever compares a node with its objects gives it to `compile`, or else every port may be another one.
 */
export function hostTold(dump: Dump, mode: string): Host {
  if (!isCompiledMode(mode)) return {}
  const told = IP_FAMILIES.map((family) => liveModeOf(mode).host?.(dump[family]) ?? {})
  const proxyPorts = Object.assign({}, ...told.map((host) => host.proxyPorts))
  const hostIP = told.find((host) => host.hostIP !== undefined)?.hostIP
  return {
    ...(Object.keys(proxyPorts).length > 0 && { proxyPorts }),
    ...(hostIP !== undefined && { hostIP }),
  }
}
