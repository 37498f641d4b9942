import type { Clause, Frontend, MasqueradePolicy, ServicePlan } from './plan.js'
import { internalRouteToPool } from './routes.js'

const TO_LOCAL_POOL: Pick<Clause, 'action' | 'reason'> = { action: { kind: 'pool', pool: 'local' }, reason: 'policy' }

/**
 * Returns the plan of kube-proxy up to 1.24, where a frontend without local endpoints does not drop packets, but sends
 * them to the empty pool of local endpoints. `masquerade` applies to packets for the cluster IP.
 */
export function routeDropsToLocalPool(plan: ServicePlan, masquerade: MasqueradePolicy): ServicePlan {
  return {
    ...plan,
    frontends: plan.frontends.map((frontend) => ({ ...frontend, route: routeOf(frontend, masquerade) })),
  }
}

function routeOf({ kind, route }: Frontend, masquerade: MasqueradePolicy): Frontend['route'] {
  const isDropped = route.some(({ action }) => action.kind === 'drop')
  if (kind === 'clusterIP') return isDropped ? internalRouteToPool('local', masquerade) : route
  return route.map((clause): Clause => (clause.action.kind === 'drop' ? { ...clause, ...TO_LOCAL_POOL } : clause))
}
