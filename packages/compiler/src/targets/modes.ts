import type { ProxyMode } from '../configuration/versions.js'
import { iptablesMode } from './iptables/mode.js'
import { ipvsMode } from './ipvs/mode.js'
import { nftablesMode } from './nftables/mode.js'
import { userspaceMode } from './userspace/mode.js'

/** Every mode of kube-proxy for which this library computes rules: all whose versions are known. `LIVE_MODES` has the other half of each. */
export const MODES: Modes = {
  iptables: iptablesMode,
  ipvs: ipvsMode,
  nftables: nftablesMode,
  userspace: userspaceMode,
}

/** The same as types. */
interface Modes {
  readonly iptables: typeof iptablesMode
  readonly ipvs: typeof ipvsMode
  readonly nftables: typeof nftablesMode
  readonly userspace: typeof userspaceMode
}

/** A mode whose rules are computed. As a union of words: whoever has values of the type need not know `ProxyMode`. */
export type CompiledMode = { [Mode in ProxyMode]: Mode }[ProxyMode]
