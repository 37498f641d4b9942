import type { Subsystem } from '../dataplane/node-state.js'
import { isProxyMode, type ProxyMode, proxyModes } from '../model/configuration/versions.js'

/** A mode whose rules are computed. As a union of words: whoever has values of the type need not know `ProxyMode`. */
export type CompiledMode = { [Mode in ProxyMode]: Mode }[ProxyMode]

/** Every mode of kube-proxy for which this library computes rules. Each verb that needs it has a table with an entry for each. */
export const PROXY_MODES: readonly CompiledMode[] = proxyModes()

/** The subsystems that the states of a mode have, in the order in which they are applied. */
export const SUBSYSTEMS_OF_MODE: { readonly [M in CompiledMode]: readonly Subsystem[] } = {
  iptables: ['iptables'],
  ipvs: ['ipset', 'ipvs', 'addresses', 'iptables'],
  nftables: ['nftables'],
  userspace: ['iptables'],
}

export function isCompiledMode(mode: string): mode is CompiledMode {
  return isProxyMode(mode)
}
