import { createInternalPoolClauses } from './clauses.js'
import type { Clause, Frontend, MasqueradePolicy, ServicePlan } from './plan.js'
import type { PlanContext } from './plan-context.js'
import { NO_ENDPOINTS } from './select-endpoints.js'

const TO_LOCAL_POOL: Pick<Clause, 'action' | 'reason'> = { action: { kind: 'pool', pool: 'local' }, reason: 'policy' }

/**
 * Returns the plan with the behavior of kube-proxy up to 1.24: a frontend without local endpoints does not drop
 * packets, but sends them to the empty pool of local endpoints. `masquerade` is the policy for packets to the cluster
 * IP.
 */
export function redirectDroppedTrafficToLocalEndpoints(plan: ServicePlan, masquerade: MasqueradePolicy): ServicePlan {
  return {
    ...plan,
    frontends: plan.frontends.map((frontend) => ({ ...frontend, clauses: clausesOf(frontend, masquerade) })),
  }
}

function clausesOf({ kind, clauses }: Frontend, masquerade: MasqueradePolicy): Frontend['clauses'] {
  const isDropped = clauses.some(({ action }) => action.kind === 'drop')
  if (kind === 'clusterIP') return isDropped ? createInternalPoolClauses('local', masquerade) : clauses
  return clauses.map((clause): Clause => (clause.action.kind === 'drop' ? { ...clause, ...TO_LOCAL_POOL } : clause))
}

/**
 * Truncates the plan at a node port that no address of the node serves (feature `endsAtUnservedNodePort`). The pools
 * are then empty, like in kube-proxy, so packets to earlier frontends reach no endpoint. Mirrors the `continue` after
 * `GetNodeAddresses` in `syncProxyRules` of kube-proxy v1.22.
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
