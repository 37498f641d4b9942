import type { Rule } from '../../../dataplane/iptables/ast.js'
import type { Frontend, ServicePlan } from '../../../plan/plan.js'
import { commentMatch, TO_LOCAL_MATCH } from '../../shared/match.js'
import { EXTERNAL_SERVICES_CHAIN, SERVICES_CHAIN } from '../chain-names.js'
import { healthCheckRules } from '../dispatch.js'
import { frontendsWithRules } from '../legacy-frontends.js'
import type { LoweringContext } from '../lowering-context.js'
import { frontendMatches, hasEndpoints } from './frontend-rules.js'

/** Returns the rules of the filter table: rejects for frontends without endpoints, and the health-check port. */
export function filterTableRules(plan: ServicePlan, lowering: LoweringContext): readonly Rule[] {
  const rejecting = frontendsWithRules(plan, lowering).filter((frontend) => !hasEndpoints(frontend))
  const rejects = rejecting.map((frontend): Rule => {
    const toThisNode = frontend.kind === 'nodePort' ? [TO_LOCAL_MATCH] : []
    const name = commentMatch(`${plan.id.text} has no endpoints`)
    const matches = [name, ...toThisNode, ...frontendMatches(plan, frontend, lowering)]
    return { chain: chainOf(frontend, lowering), matches, target: { kind: 'reject' } }
  })
  return lowering.features.healthChecksAccepted ? [...rejects, ...healthCheckRules(plan)] : rejects
}

function chainOf({ kind }: Frontend, { features }: LoweringContext): string {
  const isInServices = kind === 'clusterIP' || (kind === 'loadBalancer' && features.loadBalancersRejectedInServices)
  return isInServices ? SERVICES_CHAIN : EXTERNAL_SERVICES_CHAIN
}
