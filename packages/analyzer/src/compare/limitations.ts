import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { EXPLANATIONS as OF_IPTABLES } from '../targets/iptables/explanations.js'
import { EXPLANATIONS as OF_IPVS } from '../targets/ipvs/explanations.js'
import type { LimitationPredicate } from '../targets/limitation-predicate.js'
import { EXPLANATIONS as OF_NFTABLES } from '../targets/nftables/explanations.js'
import { EXPLANATIONS as OF_USERSPACE } from '../targets/userspace/explanations.js'

/**
 * With which packets the limitations of a mode make a difference, by code. Each depends on nothing but what `planReadSet`
 * says of a packet, and on what becomes of it. Those without one make none to where packets go.
 */
type Explanations = Readonly<Record<string, LimitationPredicate>>

export const LIMITATIONS: { readonly [M in ProxyMode]: Explanations } = {
  iptables: OF_IPTABLES,
  ipvs: OF_IPVS,
  nftables: OF_NFTABLES,
  userspace: OF_USERSPACE,
}
