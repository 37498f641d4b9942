import type { Diagnostic, IpFamily } from '@kube-rules/types'
import { sameValue } from '../diff/resource.js'
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
  readonly families: Readonly<Partial<Record<IpFamily, FamilyRecord>>>
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

/** Makes the record of a Service; what comes out equal to the record before its objects changed is taken from there. */
export type MakeRecord = (group: ServiceGroup, previous?: ServiceRecord) => ServiceRecord

/** For the records of many Services: what these have in common is looked at once. */
export function serviceRecords(context: CompileContext): MakeRecord {
  const { nodeName, features } = context
  const families = context.families.map(({ family }) => family)
  const nodes = context.families.map((each) => ({ ...each, addresses: nodeAddressSet(each.node) }))
  return (group, previous) => {
    const { service, diagnostics } = buildGroup(group, { nodeName, features, families })
    const records: Partial<Record<IpFamily, FamilyRecord>> = {}
    for (const node of nodes) {
      const found = service?.families[node.family]
      if (found === undefined) continue
      const known = previous?.families[node.family]?.ports ?? []
      const ports = found.servicePorts.map(
        (servicePort) =>
          known.find((record) => sameValue(record.servicePort, servicePort)) ?? portRecord(servicePort, node),
      )
      records[node.family] = { ports, healthCheck: found.healthCheck }
    }
    return { group, diagnostics, families: records }
  }
}

interface NodeWithAddresses extends NodeOfFamily {
  readonly addresses: ReadonlySet<string>
}

function portRecord(servicePort: ServicePort, node: NodeWithAddresses): PortRecord {
  return {
    servicePort,
    plan: planService(servicePort, node),
    claims: claimsOf(servicePort),
    conflicts: findNodeAddressConflicts(servicePort, node.addresses),
  }
}

/** Code-unit order of `namespace/name`. */
export function byGroupKey({ group: a }: ServiceRecord, { group: b }: ServiceRecord): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}

export function byPortId(a: PortRecord, b: PortRecord): number {
  return byServicePortId(a.servicePort.id, b.servicePort.id)
}
