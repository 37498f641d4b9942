import type { Rule } from '../../dataplane/iptables/ast.js'
import { MARK_DROP_CHAIN } from '../shared/kube-chains.js'
import { FIREWALL_CHAIN, LOAD_BALANCER_CHAIN } from './chain-names.js'
import {
  createRule,
  ipsetMatchWithComment,
  jumpTarget,
  RETURN_TARGET,
  rulesOfNonEmptySet,
  type SetContext,
} from './set-rules.js'
import type { SetName } from './sets.js'

/**
 * Returns the rules of kube-proxy until 1.24 for source ranges, in the nat table: packets to load-balancer IPs with source ranges
 * return from KUBE-FIREWALL if their source is permitted, and are marked for dropping if not. Its successor is in `filter-rules`.
 * Mirrors `writeIptablesRules` of the ipvs proxier of kube-proxy v1.24.
 */
export function sourceRangeRules(context: SetContext): readonly Rule[] {
  const guarded = ipsetMatchWithComment('KUBE-LOAD-BALANCER-FW', ['dst', 'dst'], context)
  const returnFrom = (set: SetName): readonly Rule[] =>
    rulesOfNonEmptySet(set, context, [
      createRule(FIREWALL_CHAIN, ipsetMatchWithComment(set, ['dst', 'dst', 'src'], context), RETURN_TARGET),
    ])
  return [
    ...rulesOfNonEmptySet('KUBE-LOAD-BALANCER-FW', context, [
      createRule(LOAD_BALANCER_CHAIN, guarded, jumpTarget(FIREWALL_CHAIN)),
    ]),
    ...returnFrom('KUBE-LOAD-BALANCER-SOURCE-CIDR'),
    ...returnFrom('KUBE-LOAD-BALANCER-SOURCE-IP'),
    createRule(FIREWALL_CHAIN, [], jumpTarget(MARK_DROP_CHAIN)),
  ]
}
