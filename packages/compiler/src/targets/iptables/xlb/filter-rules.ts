import type { Rule } from '../../../dataplane/iptables/ast.js'
import type { Frontend, ServicePlan } from '../../../plan/plan.js'
import { comment, TO_LOCAL } from '../../shared/match.js'
import { EXTERNAL_SERVICES_CHAIN, SERVICES_CHAIN } from '../chain-names.js'
import { healthCheckRules } from '../dispatch.js'
import type { Lowering } from '../lowering.js'
import { frontendsWithRules } from '../older-frontends.js'
import { hasEndpoints, packetMatches } from './frontend-rules.js'

/** Returns the rules of the filter table: rejects for frontends without endpoints, and the health-check port. */
export function filterRules(plan: ServicePlan, lowering: Lowering): readonly Rule[] {
  const rejecting = frontendsWithRules(plan, lowering).filter((frontend) => !hasEndpoints(frontend))
  const rejects = rejecting.map((frontend): Rule => {
    const toThisNode = frontend.kind === 'nodePort' ? [TO_LOCAL] : []
    const name = comment(`${plan.id.text} has no endpoints`)
    const matches = [name, ...toThisNode, ...packetMatches(plan, frontend, lowering)]
    return { chain: chainOf(frontend, lowering), matches, target: { kind: 'reject' } }
  })
  return lowering.features.healthChecksAccepted ? [...rejects, ...healthCheckRules(plan)] : rejects
}

function chainOf({ kind }: Frontend, { features }: Lowering): string {
  const isInServices = kind === 'clusterIP' || (kind === 'loadBalancer' && features.loadBalancersRejectedInServices)
  return isInServices ? SERVICES_CHAIN : EXTERNAL_SERVICES_CHAIN
}
