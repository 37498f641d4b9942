import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { EXPLANATIONS as OF_IPTABLES } from '../targets/iptables/explanations.js'
import { EXPLANATIONS as OF_IPVS } from '../targets/ipvs/explanations.js'
import type { LimitationPredicate } from '../targets/limitation-predicate.js'
import { EXPLANATIONS as OF_NFTABLES } from '../targets/nftables/explanations.js'
import { EXPLANATIONS as OF_USERSPACE } from '../targets/userspace/explanations.js'

/**
 * The packets that a limitation of a mode affects, by code. Each predicate depends only on the fields in `planReadSet` and on
 * the outcome of the packet. Limitations without a predicate do not affect destinations.
 */
type Explanations = Readonly<Record<string, LimitationPredicate>>

export const LIMITATIONS: { readonly [M in ProxyMode]: Explanations } = {
  iptables: OF_IPTABLES,
  ipvs: OF_IPVS,
  nftables: OF_NFTABLES,
  userspace: OF_USERSPACE,
}
