import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { decideInIptablesMode } from './iptables/decide-packet.js'
import { decideInIpvsMode } from './ipvs/decide-packet.js'
import type { ModeDecider } from './mode-decision.js'
import { decideInNftablesMode } from './nftables/decide-packet.js'
import { decideInUserspaceMode } from './userspace/decide-packet.js'

/**
 * Decides how the rules of each mode handle a packet, from the plan alone: the exact outcomes, and the limitations that
 * make them differ from the decision of the plan.
 */
export const MODE_DECISIONS: { readonly [M in ProxyMode]: ModeDecider } = {
  iptables: decideInIptablesMode,
  ipvs: decideInIpvsMode,
  nftables: decideInNftablesMode,
  userspace: decideInUserspaceMode,
}
