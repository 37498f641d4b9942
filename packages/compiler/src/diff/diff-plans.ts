import { isDeepEqual } from '../internal/plain-data.js'
import { pairServicePorts, type ServicePortChange } from '../plan/pair-service-ports.js'
import type { Plan, PlanHeader } from '../plan/plan.js'

/** The differences between two plans of one family. */
export interface PlanChange {
  /**
   * Whether the plans differ in more than service ports: in the node, in its node-port addresses, or in the settings.
   * Such a change can affect every packet. Also true if only one of the plans is undefined.
   */
  readonly headerChanged: boolean
  /** The service ports that are added, removed or changed, in the order of `Plan.services`. */
  readonly servicePorts: readonly ServicePortChange[]
}

/** Returns the differences between two plans. Undefined represents no plan. */
export function diffPlans(before: Plan | undefined, after: Plan | undefined): PlanChange {
  const pairs = pairServicePorts(before?.services ?? [], after?.services ?? [])
  return {
    headerChanged: !isDeepEqual(before && headerOf(before), after && headerOf(after)),
    servicePorts: pairs.filter((pair) => !isDeepEqual(pair.before, pair.after)),
  }
}

/** The number of endpoints belongs to the service ports. */
function headerOf(plan: Plan): Partial<PlanHeader> {
  const { services: _services, unassignedEndpoints: _unassigned, endpointCount: _count, ...header } = plan
  return header
}
