import type { Match, Rule } from '../../../dataplane/iptables/ast.js'
import type { ServicePlan } from '../../../plan/plan.js'
import { JUMP_TO_MARK_MASQ } from '../../shared/mark.js'
import { sourceAddressMatch, TRANSPORT_MATCHES } from '../../shared/match.js'
import type { EndpointChain } from '../endpoint-chain.js'
import type { LoweringContext } from '../lowering-context.js'
import { formatAddressForVersion } from './frontend-rules.js'
import { endpointCommentMatches } from './pool-rules.js'

/** Returns the KUBE-SEP rules, in which addresses and comments are written differently than in newer versions. */
export function endpointRules(
  plan: ServicePlan,
  reachable: readonly EndpointChain[],
  lowering: LoweringContext,
): readonly Rule[] {
  const name = endpointCommentMatches(plan, lowering)
  const transport = TRANSPORT_MATCHES[plan.id.protocol]
  return reachable.flatMap(({ endpoint, chain }): readonly Rule[] => {
    const remember: Match = { kind: 'recent', name: chain, action: 'set', reap: false, negated: false }
    const affinity = plan.affinitySeconds === undefined ? [] : [remember]
    return [
      {
        chain,
        matches: [...name, sourceAddressMatch(formatAddressForVersion(endpoint.ip, lowering))],
        target: JUMP_TO_MARK_MASQ,
      },
      { chain, matches: [...name, ...affinity, ...transport], target: { kind: 'dnat', destination: endpoint.text } },
    ]
  })
}
