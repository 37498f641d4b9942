import type { ServicePortId } from '../../model/services/service-port.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import type { Lowering } from './lowering.js'
import { proxiedOf } from './planning/proxied.js'

/** What one service port comes to before it has a port of the process, and before it is known what others claim. */
export interface ProxiedPart {
  readonly id: ServicePortId
  /** Where this is another one, the process opens another port. */
  readonly identity: string
  /** In the order in which the process opens them; empty for a service port that it does not open. */
  readonly frontends: readonly Frontend[]
  readonly lowering: Lowering
}

export function proxiedPart(service: ServicePlan, lowering: Lowering): ProxiedPart {
  const { id, frontends } = service
  return { id, identity: proxiedOf(service)?.identity ?? '', frontends, lowering }
}
