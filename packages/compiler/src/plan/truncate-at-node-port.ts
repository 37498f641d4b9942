import type { ServicePlan } from './plan.js'
import type { PlanContext } from './plan-context.js'
import { NO_ENDPOINTS } from './select-endpoints.js'

/**
 * Returns the plan. With feature `endsAtUnservedNodePort`, it ends at a node port that no address of the node serves.
 * The pools that would follow are then empty, so the packets of earlier frontends reach no endpoint. Mirrors the
 * `continue` after `GetNodeAddresses` in `syncProxyRules` of kube-proxy v1.22.
 */
export function truncateAtNodePort(plan: ServicePlan, { node, settings }: PlanContext): ServicePlan {
  const isServed = node.nodePorts.all || node.nodePorts.addresses.length > 0
  if (!settings.features.endsAtUnservedNodePort || isServed || plan.frontends.at(-1)?.kind !== 'nodePort') return plan
  return {
    ...plan,
    pools: { cluster: NO_ENDPOINTS, local: NO_ENDPOINTS },
    reachable: NO_ENDPOINTS,
    frontends: plan.frontends.slice(0, -1),
    unservedNodePort: plan.frontends.at(-1)?.port,
    healthCheckNodePort: undefined,
  }
}
