import { IPTABLES_LIMITATIONS as OF_IPTABLES } from '../../src/targets/iptables/limitations.js'
import { IPVS_LIMITATIONS as OF_IPVS } from '../../src/targets/ipvs/limitations.js'
import type { Limitation } from '../../src/targets/mode-lowering.js'
import type { ProxyMode } from '../../src/targets/modes.js'
import { NFTABLES_LIMITATIONS as OF_NFTABLES } from '../../src/targets/nftables/limitations.js'
import { USERSPACE_LIMITATIONS as OF_USERSPACE } from '../../src/targets/userspace/limitations.js'

/** The limitations of each mode: the parts of a plan that the mode cannot express. */
export const LIMITATIONS_OF_MODE: { readonly [M in ProxyMode]: readonly Limitation[] } = {
  iptables: OF_IPTABLES,
  ipvs: OF_IPVS,
  nftables: OF_NFTABLES,
  userspace: OF_USERSPACE,
}
