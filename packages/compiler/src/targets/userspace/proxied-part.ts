import type { ServicePortId } from '../../model/services/service-port.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import type { Lowering } from './lowering.js'
import { proxiedOf } from './planning/proxied.js'

/** The contribution of one service port before a process port is chosen, and before conflicts are resolved. */
export interface UserspacePart {
  readonly id: ServicePortId
  /** A text for change detection: if it changes, the process opens another port. */
  readonly identity: string
  /** Frontends in the order that the process opens them; empty for a service port that it does not open. */
  readonly frontends: readonly Frontend[]
  readonly lowering: Lowering
}

export function proxiedPart(service: ServicePlan, lowering: Lowering): UserspacePart {
  const { id, frontends } = service
  return { id, identity: proxiedOf(service)?.identity ?? '', frontends, lowering }
}
