import type { Rule } from '../../dataplane/iptables/ast.js'
import { MARK_DROP_CHAIN } from '../shared/kube-chains.js'
import { FIREWALL_CHAIN, LOAD_BALANCER_CHAIN } from './chain-names.js'
import { inNamedSet, jumpTo, RETURN, rule, type SetContext, whenNonEmpty } from './set-rules.js'
import type { SetName } from './sets.js'

/**
 * Returns the rules of kube-proxy until 1.24 for source ranges, in the nat table: packets to load-balancer IPs with source ranges
 * return from KUBE-FIREWALL if their source is permitted, and are marked for dropping if not. Its successor is in `filter-rules`.
 * Mirrors `writeIptablesRules` of the ipvs proxier of kube-proxy v1.24.
 */
export function sourceRangeRules(context: SetContext): readonly Rule[] {
  const guarded = inNamedSet('KUBE-LOAD-BALANCER-FW', ['dst', 'dst'], context)
  const returnFrom = (set: SetName): readonly Rule[] =>
    whenNonEmpty(set, context, [rule(FIREWALL_CHAIN, inNamedSet(set, ['dst', 'dst', 'src'], context), RETURN)])
  return [
    ...whenNonEmpty('KUBE-LOAD-BALANCER-FW', context, [rule(LOAD_BALANCER_CHAIN, guarded, jumpTo(FIREWALL_CHAIN))]),
    ...returnFrom('KUBE-LOAD-BALANCER-SOURCE-CIDR'),
    ...returnFrom('KUBE-LOAD-BALANCER-SOURCE-IP'),
    rule(FIREWALL_CHAIN, [], jumpTo(MARK_DROP_CHAIN)),
  ]
}
