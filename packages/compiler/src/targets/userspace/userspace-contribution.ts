import type { ServicePortId } from '../../model/services/service-port.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import type { LoweringContext } from './lowering-context.js'
import { userspaceProxyPlanOf } from './planning/userspace-service-port.js'

/** The contribution of one service port before a process port is chosen, and before conflicts are resolved. */
export interface UserspaceContribution {
  readonly id: ServicePortId
  /** A text that changes if and only if the process opens another port. */
  readonly identity: string
  /** Frontends in their opening order; empty for a service port that it does not open. */
  readonly frontends: readonly Frontend[]
  readonly lowering: LoweringContext
}

export function createUserspaceContribution(service: ServicePlan, lowering: LoweringContext): UserspaceContribution {
  const { id, frontends } = service
  return { id, identity: userspaceProxyPlanOf(service)?.identity ?? '', frontends, lowering }
}
