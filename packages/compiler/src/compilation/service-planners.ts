import { servicePortsOf } from '../model/services/service-ports.js'
import { planService } from '../plan/plan-service.js'
import type { ProxyMode } from '../targets/modes.js'
import { planProxied } from '../targets/userspace/planning/plan-service.js'
import { proxiedServicePortsOf } from '../targets/userspace/planning/service-ports.js'

/** How a mode reads the ports of Services, and plans them. */
export interface ServicePlanner {
  readonly servicePortsOf: typeof servicePortsOf
  readonly planService: typeof planService
}

/** The modes in which the kernel takes connections to endpoints. */
const OF_KERNEL: ServicePlanner = { servicePortsOf, planService }

/** The modes that read and plan otherwise. */
const PLANNINGS: { readonly [Mode in ProxyMode]?: ServicePlanner } = {
  userspace: { servicePortsOf: proxiedServicePortsOf, planService: planProxied },
}

export function servicePlannerOf(mode: ProxyMode): ServicePlanner {
  return PLANNINGS[mode] ?? OF_KERNEL
}
