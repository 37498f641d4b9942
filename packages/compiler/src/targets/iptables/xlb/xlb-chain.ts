import type { Rule } from '../../../dataplane/iptables/ast.js'
import type { Clause, ServicePlan } from '../../../plan/plan.js'
import { MARK_MASQ_TARGET } from '../../shared/mark.js'
import { createCommentMatch } from '../../shared/match.js'
import type { ServicePortChains } from '../chain-names.js'
import type { EndpointChain } from '../endpoint-chain.js'
import type { LoweringContext } from '../lowering-context.js'
import { createNoLocalEndpointsRule } from '../mark-drop-service-blocks.js'
import { createLocalPolicyRules } from './policy-rules.js'

/** The chains of one service port up to 1.23. */
export interface XlbChains extends ServicePortChains {
  /** KUBE-XLB: balances connections over the endpoints on this node, for the policy Local. */
  readonly xlb: string
}

/**
 * Returns the KUBE-XLB rules. Packets from pods and from this node reach all endpoints; packets from other clients
 * reach only the endpoints on this node.
 */
export function createXlbRules(
  plan: ServicePlan,
  chains: XlbChains,
  local: readonly EndpointChain[],
  lowering: LoweringContext,
): readonly Rule[] {
  return (plan.localClauses ?? []).flatMap((clause) => clauseRules(plan, clause, chains, local, lowering))
}

function clauseRules(
  plan: ServicePlan,
  { source: when, reason }: Clause,
  { xlb: chain, cluster }: XlbChains,
  local: readonly EndpointChain[],
  lowering: LoweringContext,
): readonly Rule[] {
  const { text } = plan.id
  const condition = lowering.when[when]
  const toCluster = { kind: 'jump', chain: cluster } as const
  switch (reason) {
    case 'podShortCircuit': {
      const words = createCommentMatch('Redirect pods trying to reach external loadbalancer VIP to clusterIP')
      return [{ chain, matches: [words, ...condition], target: toCluster }]
    }
    case 'nodeShortCircuit': {
      const masquerade = createCommentMatch(`masquerade LOCAL traffic for ${text} LB IP`)
      const route = createCommentMatch(`route LOCAL traffic for ${text} LB IP to service chain`)
      return [
        { chain, matches: [masquerade, ...condition], target: MARK_MASQ_TARGET },
        { chain, matches: [route, ...condition], target: toCluster },
      ]
    }
    case 'noLocalEndpoints':
      return [createNoLocalEndpointsRule(plan, chain)]
    default:
      return createLocalPolicyRules(plan, chain, local, lowering)
  }
}
