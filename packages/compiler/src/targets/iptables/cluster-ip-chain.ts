import type { Rule } from '../../dataplane/iptables/ast.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import { JUMP_TO_MARK_MASQ } from '../shared/mark.js'
import type { ServicePortChains } from './chain-names.js'
import { addressComment, frontendMatches, poolChain } from './dispatch.js'
import type { Lowering } from './lowering.js'

/** The first rule of the chain that the cluster IP leads to: who of its clients is masqueraded. */
export function clusterIPMasquerade(plan: ServicePlan, chains: ServicePortChains, lowering: Lowering): readonly Rule[] {
  return plan.frontends
    .filter((frontend) => frontend.kind === 'clusterIP')
    .flatMap((frontend) => masqueradeRules(plan, frontend, chains, lowering))
}

function masqueradeRules(
  plan: ServicePlan,
  frontend: Frontend,
  chains: ServicePortChains,
  lowering: Lowering,
): readonly Rule[] {
  return frontend.route.flatMap(({ when, masquerade, then }) => {
    if (!masquerade || then.to !== 'pool') return []
    const matches = [addressComment(plan, 'clusterIP'), ...frontendMatches(plan, frontend), ...lowering.when[when]]
    return [{ chain: poolChain(chains, then.pool), matches, verdict: JUMP_TO_MARK_MASQ }]
  })
}
