import { servicePortsOf } from '../model/services/service-ports.js'
import { planService } from '../plan/plan-service.js'
import type { ProxyMode } from '../targets/modes.js'
import { planUserspaceService } from '../targets/userspace/planning/plan-service.js'
import { userspaceServicePortsOf } from '../targets/userspace/planning/service-ports.js'

/** Reads and plans the service ports of a mode. */
export interface ServicePlanner {
  readonly servicePortsOf: typeof servicePortsOf
  readonly planService: typeof planService
}

/** The planner of the modes without a proxy process: the kernel handles connections. */
const OF_KERNEL: ServicePlanner = { servicePortsOf, planService }

/** Modes with another service planner. */
const PLANNINGS: { readonly [Mode in ProxyMode]?: ServicePlanner } = {
  userspace: { servicePortsOf: userspaceServicePortsOf, planService: planUserspaceService },
}

export function servicePlannerOf(mode: ProxyMode): ServicePlanner {
  return PLANNINGS[mode] ?? OF_KERNEL
}
