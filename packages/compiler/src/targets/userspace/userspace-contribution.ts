import type { ServicePortId } from '../../model/services/service-port.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import type { LoweringContext } from './lowering-context.js'
import { userspaceProxyPlanOf } from './planning/plan-service.js'

/**
 * The contribution of one service port in userspace mode, before its port in the userspace proxy is chosen and before
 * port conflicts are resolved.
 */
export interface UserspaceContribution {
  readonly id: ServicePortId
  /** A text that changes if and only if the userspace proxy opens a new port for the service port. */
  readonly identity: string
  /** The frontends in the order that the userspace proxy opens them; empty if it does not open the service port. */
  readonly frontends: readonly Frontend[]
  readonly lowering: LoweringContext
}

export function createUserspaceContribution(service: ServicePlan, lowering: LoweringContext): UserspaceContribution {
  const { id, frontends } = service
  return { id, identity: userspaceProxyPlanOf(service)?.identity ?? '', frontends, lowering }
}
