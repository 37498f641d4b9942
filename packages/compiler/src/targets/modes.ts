import type { Subsystem } from '../dataplane/node-state.js'
import { listProxyModes, type ProxyMode } from '../model/configuration/versions.js'

export { isProxyMode, type ProxyMode, parseProxyMode } from '../model/configuration/versions.js'

/** All supported modes of kube-proxy. Each function that depends on the mode has a table with one entry per mode. */
export const PROXY_MODES: readonly ProxyMode[] = listProxyModes()

/** The subsystems that the states of a mode have, in the order of application. */
export const SUBSYSTEMS_OF_MODE: { readonly [M in ProxyMode]: readonly Subsystem[] } = {
  iptables: ['iptables'],
  ipvs: ['ipset', 'ipvs', 'addresses', 'iptables'],
  nftables: ['nftables'],
  userspace: ['iptables'],
}
