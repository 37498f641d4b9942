import { iptablesLowering } from '../targets/iptables/mode-lowering.js'
import { ipvsLowering } from '../targets/ipvs/mode-lowering.js'
import type { ModeLowering } from '../targets/mode-lowering.js'
import type { ProxyMode } from '../targets/modes.js'
import { nftablesLowering } from '../targets/nftables/mode-lowering.js'
import { userspaceLowering } from '../targets/userspace/mode-lowering.js'

/** The functions that turn plans into node states, by mode, without the types of their contributions. */
export const MODE_LOWERINGS: { readonly [M in ProxyMode]: ModeLowering } = {
  iptables: iptablesLowering,
  ipvs: ipvsLowering,
  nftables: nftablesLowering,
  userspace: userspaceLowering,
}
