import { type Diagnostic, IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { kept, sameValue } from '../diff/resource.js'
import { isSameList } from '../internal/is-same-list.js'
import { mapList } from '../internal/map-list.js'
import type { NodeOfFamily } from '../node/resolve-node.js'
import type { ServicePlan } from '../plan/plan.js'
import { planService } from '../plan/plan-service.js'
import { buildGroup } from '../services/build-group.js'
import { type AddressClaim, claimsOf, findNodeAddressConflicts, nodeAddressSet } from '../services/conflicts.js'
import type { ServiceGroup } from '../services/group-objects.js'
import type { HealthCheckNodePort } from '../services/health-checks.js'
import type { ServicePort } from '../services/service-port.js'
import { byServicePortId } from '../services/service-port.js'
import type { CompileContext } from './compile-context.js'

/** Everything that is computed for the objects of one Service. Kept for as long as they are the identical objects. */
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

/**
 * Makes the record of a Service. What comes out equal to the record before its objects changed is taken from there, and
 * what comes out equal to `like`, the record of the same objects on another node, from that.
 */
export type MakeRecord = (group: ServiceGroup, previous?: ServiceRecord, like?: ServiceRecord) => ServiceRecord

/** For the records of many Services: what these have in common is looked at once. */
export function serviceRecords(context: CompileContext): MakeRecord {
  const { nodeName, features } = context
  const families = context.families.map(({ family }) => family)
  const nodes = context.families.map((each) => ({ ...each, addresses: nodeAddressSet(each.node) }))
  return (group, previous, like) => {
    const { service, diagnostics } = buildGroup(group, { nodeName, features, families })
    const records: Partial<Record<IpFamily, FamilyRecord | undefined>> = { IPv4: undefined, IPv6: undefined }
    for (const node of nodes) {
      const found = service?.families[node.family]
      if (found === undefined) continue
      const known = previous?.families[node.family]?.ports ?? []
      const other = like?.families[node.family]
      const ports = mapList(found.servicePorts, (servicePort, index) => {
        const same = known.find((record) => sameValue(record.servicePort, servicePort))
        const otherPort = other?.ports[index]
        return same === undefined ? portRecord(servicePort, node, otherPort) : withClaimsOf(same, otherPort)
      })
      records[node.family] = { ports, healthCheck: kept(found.healthCheck, other?.healthCheck) }
    }
    // Objects say the same on every node.
    const record = { group, diagnostics: like?.diagnostics ?? diagnostics, families: records }
    return like !== undefined && isSameRecord(record, like) ? like : record
  }
}

/** Whether two records of the same objects hold the identical parts. */
function isSameRecord({ families }: ServiceRecord, like: ServiceRecord): boolean {
  return IP_FAMILIES.every((name) => isSameFamily(families[name], like.families[name]))
}

function isSameFamily(one: FamilyRecord | undefined, other: FamilyRecord | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.healthCheck === other.healthCheck && isSameList(one.ports, other.ports)
}

interface NodeWithAddresses extends NodeOfFamily {
  readonly addresses: ReadonlySet<string>
}

function portRecord(given: ServicePort, node: NodeWithAddresses, like: PortRecord | undefined): PortRecord {
  if (like === undefined) {
    return {
      servicePort: given,
      plan: planService(given, node),
      claims: claimsOf(given),
      conflicts: findNodeAddressConflicts(given, node.addresses),
    }
  }
  const servicePort = sharedServicePort(given, like.servicePort)
  const plan = sharedPlan(planService(servicePort, node), like.plan)
  const conflicts = kept(findNodeAddressConflicts(servicePort, node.addresses), like.conflicts)
  const isSame = servicePort === like.servicePort && plan === like.plan && conflicts === like.conflicts
  // No address of a Service depends on the node.
  return isSame ? like : { servicePort, plan, claims: like.claims, conflicts }
}

/** Claims are known by their identity, and all nodes have the same. */
function withClaimsOf(record: PortRecord, like: PortRecord | undefined): PortRecord {
  return like === undefined || like.claims === record.claims ? record : { ...record, claims: like.claims }
}

/** A service port with what it has in common with that of another node: all but some of its endpoints. */
function sharedServicePort(servicePort: ServicePort, like: ServicePort): ServicePort {
  const endpoints = sharedItems(servicePort.endpoints, like.endpoints)
  return endpoints === like.endpoints ? like : { ...like, endpoints }
}

/** A plan with what it has in common with that of another node. */
function sharedPlan(plan: ServicePlan, like: ServicePlan): ServicePlan {
  const shared = { ...plan, frontends: kept(plan.frontends, like.frontends) }
  return kept(shared, like)
}

/** A list with the items of another one where they are equal, and that list itself where all are. */
function sharedItems<T>(items: readonly T[], like: readonly T[]): readonly T[] {
  const shared = items.map((item, index) => kept(item, like[index]))
  return isSameList(shared, like) ? like : shared
}

/** Code-unit order of `namespace/name`. */
export function byGroupKey({ group: a }: ServiceRecord, { group: b }: ServiceRecord): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}

export function byPortId(a: PortRecord, b: PortRecord): number {
  return byServicePortId(a.servicePort.id, b.servicePort.id)
}
