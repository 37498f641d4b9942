import { type Diagnostic, IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { type ChunkedList, EMPTY_LIST } from '../internal/chunked-list.js'
import { mapList } from '../internal/map-list.js'
import { findSortedItem, replaceSortedItems } from '../internal/sorted-list.js'
import type { NodeOfFamily } from '../model/node/resolve-node.js'
import { buildGroupModel } from '../model/services/build-group.js'
import {
  type AddressClaim,
  addressClaimsOf,
  findNodeAddressConflicts,
  nodeAddressesOf,
} from '../model/services/conflicts.js'
import { isEmptyGroup, type ServiceGroup } from '../model/services/group-objects.js'
import type { HealthCheckNodePort } from '../model/services/health-checks.js'
import { compareServicePortIds, type ServicePort } from '../model/services/service-port.js'
import { isDeepEqual } from '../patch/resource.js'
import type { ServicePlan } from '../plan/plan.js'
import type { CompileContext } from './context.js'
import { type ServicePlanner, servicePlannerOf } from './service-planners.js'

/** The model and the plan of one Service, cached while its objects are the identical ones. */
export interface ServiceRecord {
  readonly group: ServiceGroup
  readonly diagnostics: readonly Diagnostic[]
  readonly families: Readonly<Partial<Record<IpFamily, FamilyRecord | undefined>>>
}

export interface FamilyRecord {
  readonly ports: readonly PortRecord[]
  readonly healthCheck: HealthCheckNodePort | undefined
}

/** One service port in one family. */
export interface PortRecord {
  readonly servicePort: ServicePort
  readonly plan: ServicePlan
  readonly claims: readonly AddressClaim[]
  readonly conflicts: readonly Diagnostic[]
}

/** The records of all Services, in code-unit order of `namespace/name`. */
export interface ServiceRecords {
  readonly all: ChunkedList<ServiceRecord>
  /** Those with diagnostics or a health-check port: a few of many. */
  readonly reporting: ChunkedList<ServiceRecord>
}

export const NO_RECORDS: ServiceRecords = { all: EMPTY_LIST, reporting: EMPTY_LIST }

/** Removed and added records; that of a changed Service is in both lists. */
export interface RecordChanges {
  readonly removed: readonly ServiceRecord[]
  readonly added: readonly ServiceRecord[]
}

/** Creates the record of a Service. Equal parts of its previous record are reused. */
export type CreateServiceRecord = (group: ServiceGroup, previous?: ServiceRecord) => ServiceRecord

/** Returns the changed records for changed groups of objects; a group without objects is removed. */
export function computeRecordChanges(
  previous: ServiceRecords,
  groups: readonly ServiceGroup[],
  makeRecord: CreateServiceRecord,
): RecordChanges {
  const removed = groups.flatMap(({ key }) => findServiceRecord(previous, key) ?? [])
  const present = groups.filter((group) => !isEmptyGroup(group))
  return { removed, added: mapList(present, (group) => makeRecord(group, findServiceRecord(previous, group.key))) }
}

export function replaceRecords(previous: ServiceRecords, { removed, added }: RecordChanges): ServiceRecords {
  const [reportingBefore, reportingNow] = [removed.filter(isReporting), added.filter(isReporting)]
  return {
    all: replaceSortedItems(previous.all, removed, added, byGroupKey),
    reporting: replaceSortedItems(previous.reporting, reportingBefore, reportingNow, byGroupKey),
  }
}

export function findServiceRecord({ all }: ServiceRecords, key: string): ServiceRecord | undefined {
  return findSortedItem(all, ({ group }) => (group.key < key ? -1 : group.key > key ? 1 : 0))
}

/** Returns a function that creates the records of many Services on one node. Their common inputs are processed once. */
export function createServiceRecordFactory(context: CompileContext): CreateServiceRecord {
  const { nodeName, features } = context
  const planning = servicePlannerOf(context.mode)
  const families = context.families.map(({ family }) => family)
  const nodes = context.families.map((each) => ({ ...each, addresses: nodeAddressesOf(each.node) }))
  return (group, previous) => {
    const { service, diagnostics } = buildGroupModel(group, { nodeName, features, families }, planning.servicePortsOf)
    const records: Partial<Record<IpFamily, FamilyRecord | undefined>> = { IPv4: undefined, IPv6: undefined }
    for (const node of nodes) {
      const model = service?.families[node.family]
      if (model === undefined) continue
      const known = previous?.families[node.family]?.ports ?? []
      const ports = mapList(model.servicePorts, (servicePort) => {
        return (
          known.find((record) => isDeepEqual(record.servicePort, servicePort)) ??
          portRecord(servicePort, node, planning)
        )
      })
      records[node.family] = { ports, healthCheck: model.healthCheck }
    }
    return { group, diagnostics, families: records }
  }
}

interface NodeWithAddresses extends NodeOfFamily {
  readonly addresses: ReadonlySet<string>
}

function portRecord(servicePort: ServicePort, node: NodeWithAddresses, { planService }: ServicePlanner): PortRecord {
  return {
    servicePort,
    plan: planService(servicePort, node),
    claims: addressClaimsOf(servicePort),
    conflicts: findNodeAddressConflicts(servicePort, node.addresses),
  }
}

function isReporting({ diagnostics, families }: ServiceRecord): boolean {
  return diagnostics.length > 0 || IP_FAMILIES.some((family) => families[family]?.healthCheck !== undefined)
}

/** Compares in code-unit order of `namespace/name`. */
function byGroupKey({ group: a }: ServiceRecord, { group: b }: ServiceRecord): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}

export function comparePortRecords(a: PortRecord, b: PortRecord): number {
  return compareServicePortIds(a.servicePort.id, b.servicePort.id)
}
