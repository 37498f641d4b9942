import * as iptables from '../../src/targets/iptables/limitations.js'
import * as ipvs from '../../src/targets/ipvs/limitations.js'
import type { Limitation } from '../../src/targets/mode-lowering.js'
import type { ProxyMode } from '../../src/targets/modes.js'
import * as nftables from '../../src/targets/nftables/limitations.js'
import * as userspace from '../../src/targets/userspace/limitations.js'

/** The limitations of each mode: the parts of a plan that the mode cannot express. */
export const LIMITATIONS_OF_MODE: { readonly [M in ProxyMode]: readonly Limitation[] } = {
  iptables: [...iptables.SERVICE_LIMITATIONS, ...iptables.GENERAL_LIMITATIONS],
  ipvs: [...ipvs.SERVICE_LIMITATIONS, ...ipvs.GENERAL_LIMITATIONS],
  nftables: [...nftables.SERVICE_LIMITATIONS, ...nftables.GENERAL_LIMITATIONS],
  userspace: [...userspace.SERVICE_LIMITATIONS, ...userspace.GENERAL_LIMITATIONS],
}
