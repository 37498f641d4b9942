import { iptablesOwnership } from '../targets/iptables/ownership.js'
import { ipvsOwnership } from '../targets/ipvs/ownership.js'
import type { ProxyMode } from '../targets/modes.js'
import { nftablesOwnership } from '../targets/nftables/ownership.js'
import type { ModeOwnership } from '../targets/ownership.js'
import { userspaceOwnership } from '../targets/userspace/ownership.js'

/** Whose the things are that a node holds, mode by mode. */
export const OWNERSHIP: { readonly [M in ProxyMode]: ModeOwnership } = {
  iptables: iptablesOwnership,
  ipvs: ipvsOwnership,
  nftables: nftablesOwnership,
  userspace: userspaceOwnership,
}
