import type { ServicePortId } from '../../model/services/service-port.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import type { LoweringContext } from './lowering-context.js'
import { userspaceProxyPlanOf } from './planning/userspace-service-port.js'

/** The contribution of one service port. A process port is not chosen yet, and port conflicts are not resolved yet. */
export interface UserspaceContribution {
  readonly id: ServicePortId
  /** A text that changes if and only if the process opens another port. */
  readonly identity: string
  /** The frontends in the order that the process opens them; empty if the process does not open the service port. */
  readonly frontends: readonly Frontend[]
  readonly lowering: LoweringContext
}

export function createUserspaceContribution(service: ServicePlan, lowering: LoweringContext): UserspaceContribution {
  const { id, frontends } = service
  return { id, identity: userspaceProxyPlanOf(service)?.identity ?? '', frontends, lowering }
}
