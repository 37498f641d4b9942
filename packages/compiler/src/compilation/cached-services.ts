import { type Diagnostic, IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { compareValues } from '../internal/compare-values.js'
import { mapList } from '../internal/map-list.js'
import { isDeepEqual } from '../internal/plain-data.js'
import { findSortedItem, replaceSortedItems } from '../internal/sorted-list.js'
import type { FamilyNodeContext } from '../model/node/resolve-node.js'
import { buildServiceGroupModel } from '../model/services/build-group.js'
import {
  type AddressClaim,
  addressClaimsOf,
  findNodeAddressConflicts,
  nodeAddressesOf,
} from '../model/services/conflicts.js'
import { isEmptyGroup, type ServiceGroup } from '../model/services/group-objects.js'
import type { HealthCheckNodePort } from '../model/services/health-checks.js'
import { compareServicePortIds, type ServicePort } from '../model/services/service-port.js'
import { createServicePorts } from '../model/services/service-ports.js'
import type { UnassignedEndpoints } from '../model/services/unassigned-endpoints.js'
import type { ServicePlan } from '../plan/plan.js'
import { planService } from '../plan/plan-service.js'
import type { ProxyMode } from '../targets/modes.js'
import { planUserspaceService } from '../targets/userspace/planning/plan-service.js'
import { createUserspaceServicePorts } from '../targets/userspace/planning/service-ports.js'
import type { CompileContext } from './context.js'

/** The functions that read and plan the service ports of a Service in one mode. */
interface ServicePlanner {
  readonly servicePortsOf: typeof createServicePorts
  readonly planService: typeof planService
}

/** The planner of all modes except userspace mode. In these modes, the kernel handles the connections. */
const OF_KERNEL: ServicePlanner = { servicePortsOf: createServicePorts, planService }

/** The service planners of the modes that do not use `OF_KERNEL`. */
const PLANNINGS: { readonly [Mode in ProxyMode]?: ServicePlanner } = {
  userspace: { servicePortsOf: createUserspaceServicePorts, planService: planUserspaceService },
}

function servicePlannerOf(mode: ProxyMode): ServicePlanner {
  return PLANNINGS[mode] ?? OF_KERNEL
}

/** The model and the plan of one Service. Both stay cached until an object of the Service is replaced. */
export interface CachedService {
  readonly group: ServiceGroup
  readonly diagnostics: readonly Diagnostic[]
  readonly families: Readonly<Partial<Record<IpFamily, CachedServiceFamily | undefined>>>
}

export interface CachedServiceFamily {
  readonly ports: readonly CachedServicePort[]
  readonly healthCheck: HealthCheckNodePort | undefined
  readonly unassignedEndpoints: readonly UnassignedEndpoints[]
}

/** One service port in one family. */
export interface CachedServicePort {
  readonly servicePort: ServicePort
  readonly plan: ServicePlan
  readonly claims: readonly AddressClaim[]
  readonly conflicts: readonly Diagnostic[]
}

/** The cached Services of a node, in code-unit order of `namespace/name`. */
export interface CachedServices {
  readonly all: readonly CachedService[]
  /** The few Services that have diagnostics, a health-check node port or unassigned endpoints, for fast access. */
  readonly reporting: readonly CachedService[]
}

export const NO_CACHED_SERVICES: CachedServices = { all: [], reporting: [] }

/** Removed and added Services. A changed Service is removed in its old form and added in its new form. */
export interface CachedServiceChanges {
  readonly removed: readonly CachedService[]
  readonly added: readonly CachedService[]
}

/** Creates the model and the plan of a Service. Parts that are equal to parts of `previous` are reused. */
export type CachedServiceFactory = (group: ServiceGroup, previous?: CachedService) => CachedService

/**
 * Returns the changed Services for changed groups of objects. If a group has no objects anymore, its Service is
 * removed.
 */
export function computeCachedServiceChanges(
  previous: CachedServices,
  groups: readonly ServiceGroup[],
  create: CachedServiceFactory,
): CachedServiceChanges {
  const removed = groups.flatMap(({ key }) => findCachedService(previous, key) ?? [])
  const present = groups.filter((group) => !isEmptyGroup(group))
  return { removed, added: mapList(present, (group) => create(group, findCachedService(previous, group.key))) }
}

export function replaceCachedServices(
  previous: CachedServices,
  { removed, added }: CachedServiceChanges,
): CachedServices {
  const [reportingBefore, reportingNow] = [removed.filter(isReporting), added.filter(isReporting)]
  return {
    all: replaceSortedItems(previous.all, removed, added, byGroupKey),
    reporting: replaceSortedItems(previous.reporting, reportingBefore, reportingNow, byGroupKey),
  }
}

export function findCachedService({ all }: CachedServices, key: string): CachedService | undefined {
  return findSortedItem(all, ({ group }) => compareValues(group.key, key))
}

/** Returns a function that creates the cached Services of one node. Inputs that all Services share are processed once. */
export function createCachedServiceFactory(context: CompileContext): CachedServiceFactory {
  const { nodeName, features } = context
  const planning = servicePlannerOf(context.mode)
  const families = context.families.map(({ family }) => family)
  const nodes = context.families.map((each) => ({ ...each, addresses: nodeAddressesOf(each.node) }))
  return (group, previous) => {
    const { service, diagnostics } = buildServiceGroupModel(
      group,
      { nodeName, features, families },
      planning.servicePortsOf,
    )
    const familiesOfService: Partial<Record<IpFamily, CachedServiceFamily | undefined>> = {
      IPv4: undefined,
      IPv6: undefined,
    }
    for (const node of nodes) {
      const model = service?.families[node.family]
      if (model === undefined) continue
      const known = previous?.families[node.family]?.ports ?? []
      const ports = mapList(model.servicePorts, (servicePort) => {
        return (
          known.find((port) => isDeepEqual(port.servicePort, servicePort)) ?? portRecord(servicePort, node, planning)
        )
      })
      const { healthCheck, unassignedEndpoints } = model
      familiesOfService[node.family] = { ports, healthCheck, unassignedEndpoints }
    }
    return { group, diagnostics, families: familiesOfService }
  }
}

interface NodeWithAddresses extends FamilyNodeContext {
  readonly addresses: ReadonlySet<string>
}

function portRecord(servicePort: ServicePort, node: NodeWithAddresses, planner: ServicePlanner): CachedServicePort {
  return {
    servicePort,
    plan: planner.planService(servicePort, node),
    claims: addressClaimsOf(servicePort),
    conflicts: findNodeAddressConflicts(servicePort, node.addresses),
  }
}

function isReporting({ diagnostics, families }: CachedService): boolean {
  return diagnostics.length > 0 || IP_FAMILIES.some((family) => isReportingFamily(families[family]))
}

function isReportingFamily(family: CachedServiceFamily | undefined): boolean {
  return family !== undefined && (family.healthCheck !== undefined || family.unassignedEndpoints.length > 0)
}

/** Compares two items in code-unit order of `namespace/name`. */
function byGroupKey({ group: a }: CachedService, { group: b }: CachedService): number {
  return compareValues(a.key, b.key)
}

export function compareCachedServicePorts(a: CachedServicePort, b: CachedServicePort): number {
  return compareServicePortIds(a.servicePort.id, b.servicePort.id)
}
