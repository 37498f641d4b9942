import { iptablesLowering } from '../targets/iptables/mode-lowering.js'
import { ipvsLowering } from '../targets/ipvs/mode-lowering.js'
import type { ModeLowering } from '../targets/mode-lowering.js'
import type { ProxyMode } from '../targets/modes.js'
import { nftablesLowering } from '../targets/nftables/mode-lowering.js'
import { userspaceLowering } from '../targets/userspace/mode-lowering.js'

/** How each mode says a plan to the kernel, without regard to what its parts are. */
export const LOWERINGS: { readonly [M in ProxyMode]: ModeLowering } = {
  iptables: iptablesLowering,
  ipvs: ipvsLowering,
  nftables: nftablesLowering,
  userspace: userspaceLowering,
}
