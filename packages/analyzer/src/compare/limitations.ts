import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { LIMITATION_PREDICATES as OF_IPTABLES } from '../targets/iptables/limitation-predicates.js'
import { LIMITATION_PREDICATES as OF_IPVS } from '../targets/ipvs/limitation-predicates.js'
import type { LimitationPredicate } from '../targets/limitation-predicate.js'
import { LIMITATION_PREDICATES as OF_NFTABLES } from '../targets/nftables/limitation-predicates.js'
import { LIMITATION_PREDICATES as OF_USERSPACE } from '../targets/userspace/limitation-predicates.js'

/**
 * The packets that a limitation of a mode affects, by code. Each predicate depends only on the fields in `planReadSet` and on
 * the outcome of the packet. Limitations without a predicate do not affect destinations.
 */
type Explanations = Readonly<Record<string, LimitationPredicate>>

export const MODE_LIMITATION_PREDICATES: { readonly [M in ProxyMode]: Explanations } = {
  iptables: OF_IPTABLES,
  ipvs: OF_IPVS,
  nftables: OF_NFTABLES,
  userspace: OF_USERSPACE,
}
