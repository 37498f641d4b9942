import type { Diagnostic, IpFamily } from '@kube-rules/types'
import { sameValue } from '../diff/resource.js'
import type { NodeOfFamily } from '../node/resolve-node.js'
import { planService } from '../plan/build-plan.js'
import type { ServicePlan } from '../plan/plan.js'
import { buildGroup } from '../services/build-group.js'
import { type Claim, claimsOf, findNodeAddressConflicts, nodeAddressSet } from '../services/conflicts.js'
import type { ServiceGroup } from '../services/group-objects.js'
import type { HealthCheckNodePort } from '../services/health-checks.js'
import type { ServicePort } from '../services/service-port.js'
import { byServicePortId } from '../services/service-port.js'
import type { StateCounts } from '../targets/target.js'
import type { CompileContext } from './compile-context.js'

/** Everything that is computed for the objects of one Service. Kept for as long as they are the identical objects. */
export interface ServiceRecord<Lowering, Part> {
  readonly group: ServiceGroup
  readonly diagnostics: readonly Diagnostic[]
  readonly families: Readonly<Partial<Record<IpFamily, FamilyRecord<Lowering, Part>>>>
}

export interface FamilyRecord<Lowering, Part> {
  readonly ports: readonly PortRecord<Lowering, Part>[]
  readonly healthCheck: HealthCheckNodePort | undefined
}

/** One service port in one family. */
export interface PortRecord<Lowering, Part> {
  readonly servicePort: ServicePort
  readonly plan: ServicePlan
  readonly claims: readonly Claim[]
  readonly conflicts: readonly Diagnostic[]
  /** What the mode makes of it; made when all that it depends on is known, and again when that changes. */
  lowered: Lowered<Lowering, Part> | undefined
}

export interface Lowered<Lowering, Part> {
  readonly lowering: Lowering
  readonly part: Part
  readonly counts: StateCounts
  readonly limitations: readonly Diagnostic[]
}

/** Makes the record of a Service; what comes out equal to the record before its objects changed is taken from there. */
export type MakeRecord<Lowering, Part> = (
  group: ServiceGroup,
  previous?: ServiceRecord<Lowering, Part>,
) => ServiceRecord<Lowering, Part>

/** For the records of many Services: what these have in common is looked at once. */
export function serviceRecords<Lowering, Part>(context: CompileContext): MakeRecord<Lowering, Part> {
  const { nodeName, features } = context
  const families = context.families.map(({ family }) => family)
  const nodes = context.families.map((each) => ({ ...each, addresses: nodeAddressSet(each.node) }))
  return (group, previous) => {
    const { service, diagnostics } = buildGroup(group, { nodeName, features, families })
    const records: Partial<Record<IpFamily, FamilyRecord<Lowering, Part>>> = {}
    for (const node of nodes) {
      const found = service?.families[node.family]
      if (found === undefined) continue
      const known = previous?.families[node.family]?.ports ?? []
      const ports = found.servicePorts.map(
        (servicePort) =>
          known.find((record) => sameValue(record.servicePort, servicePort)) ??
          portRecord<Lowering, Part>(servicePort, node),
      )
      records[node.family] = { ports, healthCheck: found.healthCheck }
    }
    return { group, diagnostics, families: records }
  }
}

interface NodeWithAddresses extends NodeOfFamily {
  readonly addresses: ReadonlySet<string>
}

function portRecord<Lowering, Part>(servicePort: ServicePort, node: NodeWithAddresses): PortRecord<Lowering, Part> {
  return {
    servicePort,
    plan: planService(servicePort, node),
    claims: claimsOf(servicePort),
    conflicts: findNodeAddressConflicts(servicePort, node.addresses),
    // Named from the start, so that it has a place in the object.
    lowered: undefined,
  }
}

/** Code-unit order of `namespace/name`. */
export function byGroupKey(
  { group: a }: ServiceRecord<unknown, unknown>,
  { group: b }: ServiceRecord<unknown, unknown>,
): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}

export function byPortId(a: PortRecord<unknown, unknown>, b: PortRecord<unknown, unknown>): number {
  return byServicePortId(a.servicePort.id, b.servicePort.id)
}
