import { iptablesOwnership } from '../targets/iptables/ownership.js'
import { ipvsOwnership } from '../targets/ipvs/ownership.js'
import type { ProxyMode } from '../targets/modes.js'
import { nftablesOwnership } from '../targets/nftables/ownership.js'
import type { ModeOwnership } from '../targets/ownership.js'
import { userspaceOwnership } from '../targets/userspace/ownership.js'

/** For each mode, the definition of the resources on a node that belong to kube-proxy. */
export const MODE_OWNERSHIPS: { readonly [M in ProxyMode]: ModeOwnership } = {
  iptables: iptablesOwnership,
  ipvs: ipvsOwnership,
  nftables: nftablesOwnership,
  userspace: userspaceOwnership,
}
