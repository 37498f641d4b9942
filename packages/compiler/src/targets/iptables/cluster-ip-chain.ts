import type { Rule } from '../../dataplane/iptables/ast.js'
import type { Clause, Frontend, ServicePlan } from '../../plan/plan.js'
import { MARK_MASQ_TARGET } from '../shared/mark.js'
import type { ServicePortChains } from './chain-names.js'
import { createAddressCommentMatch, createFrontendMatches, policyChainNameOf } from './dispatch.js'
import type { LoweringContext } from './lowering-context.js'

/** Returns the rules that masquerade packets to a cluster IP. They are the first rules of KUBE-SVC or KUBE-SVL. */
export function createClusterIPMasqueradeRules(
  plan: ServicePlan,
  chains: ServicePortChains,
  lowering: LoweringContext,
): readonly Rule[] {
  const [frontend] = plan.frontends
  return frontend?.kind === 'clusterIP' ? masqueradeRules(plan, frontend, chains, lowering) : []
}

function masqueradeRules(
  plan: ServicePlan,
  frontend: Frontend,
  chains: ServicePortChains,
  lowering: LoweringContext,
): readonly Rule[] {
  return frontend.clauses.filter(isMasqueraded).map(({ source: when, action: then }) => {
    const comment = createAddressCommentMatch(plan, 'clusterIP')
    const matches = createFrontendMatches(comment, plan, frontend).concat(lowering.when[when])
    return { chain: policyChainNameOf(chains, then.pool), matches, target: MARK_MASQ_TARGET }
  })
}

/** Returns the number of rules that `createClusterIPMasqueradeRules` returns for the frontend of a cluster IP. */
export function countMasqueradeRules({ clauses }: Frontend): number {
  return clauses.filter(isMasqueraded).length
}

/** A clause of a frontend that sends packets to endpoints and masquerades them. */
type MasqueradedClause = Clause & { readonly action: { readonly kind: 'pool' } }

function isMasqueraded(clause: Clause): clause is MasqueradedClause {
  return clause.masquerade && clause.action.kind === 'pool'
}
