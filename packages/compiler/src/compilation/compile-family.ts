import type { Diagnostic } from '@kube-rules/types'
import { kept, sameValue } from '../diff/resource.js'
import { mapReplacements, type Replacement, replaceItems, replacementsIn } from '../internal/sorted-list.js'
import type { NodeOfFamily } from '../node/resolve-node.js'
import type { ServicePlan } from '../plan/plan.js'
import { planFrame } from '../plan/plan-service.js'
import {
  type AddressClaim,
  exchangeClaims,
  findAddressConflicts,
  type Holders,
  holdersOf,
} from '../services/conflicts.js'
import type { HealthCheckNodePort } from '../services/health-checks.js'
import type { Mode } from '../targets/mode.js'
import type { FamilyResult } from './compile-result.js'
import { lowerChangedPorts, lowerPorts, type PortParts, portDiagnostics } from './lower-ports.js'
import { byPortId, type PortRecord } from './service-record.js'

/** What one family comes to. */
export interface FamilyCompilation {
  /** In the plan's order. */
  readonly ports: readonly PortRecord[]
  readonly lowered: PortParts
  readonly addressConflicts: readonly Diagnostic[]
  /** Goes on to the next compilation; absent where none has asked for it, where it has gone, and where there are conflicts. */
  holders: Holders | undefined
  readonly diagnostics: readonly Diagnostic[]
  readonly result: FamilyResult
}

type Ports = readonly PortRecord[]

/** Compiles service ports, given in the plan's order. What `previous` has in common is taken from there. */
export function compileFamily(
  mode: Mode,
  node: NodeOfFamily,
  ports: Ports,
  healthCheckNodePorts: readonly HealthCheckNodePort[],
  previous: FamilyCompilation | undefined,
): FamilyCompilation {
  const services = ports.map(({ plan }) => plan)
  const frame = planFrame(node.family, node, endpointsOf(services))
  const lowering = kept(mode.lowering(frame), previous?.lowered.lowering)
  const lowered = lowerPorts(mode, ports, node.family, lowering)
  const addressConflicts = findAddressConflicts(claimsOf(ports))
  const plan = { ...frame, services }
  const ingredients = { ports, lowered, addressConflicts, holders: undefined, plan, healthCheckNodePorts }
  return familyCompilation(mode, node, ingredients, previous)
}

/** The same after changes to the service ports of `previous`, at their cost. */
export function compileFamilyChanges(
  mode: Mode,
  node: NodeOfFamily,
  { removed, added }: { readonly removed: Ports; readonly added: Ports },
  healthCheckNodePorts: readonly HealthCheckNodePort[],
  previous: FamilyCompilation,
): FamilyCompilation {
  const { result, lowered: before } = previous
  const replacements = replacementsIn(previous.ports, removed, added, byPortId)
  const ports = replaceItems(previous.ports, replacements)
  const services = replaceItems(result.plan.services, planReplacements(replacements))
  const endpointsRemoved = endpointsOf(removed.map(({ plan }) => plan))
  const endpointsAdded = endpointsOf(added.map(({ plan }) => plan))
  const frame = planFrame(node.family, node, result.plan.endpointCount - endpointsRemoved + endpointsAdded)
  const lowering = mode.lowering(frame)
  const lowered = sameValue(lowering, before.lowering)
    ? lowerChangedPorts(mode, { before, removed, replacements }, node.family)
    : lowerPorts(mode, ports, node.family, lowering)
  const conflicts = conflictsAfter(ports, removed, added, previous)
  const plan = { ...frame, services }
  return familyCompilation(mode, node, { ports, lowered, ...conflicts, plan, healthCheckNodePorts }, previous)
}

interface Ingredients
  extends Pick<FamilyCompilation, 'ports' | 'lowered' | 'addressConflicts' | 'holders'>,
    Pick<FamilyResult, 'plan' | 'healthCheckNodePorts'> {}

function familyCompilation(
  mode: Mode,
  { family }: NodeOfFamily,
  { ports, lowered: { changes, ...lowered }, addressConflicts, holders, plan, healthCheckNodePorts }: Ingredients,
  previous: FamilyCompilation | undefined,
): FamilyCompilation {
  const earlier = previous && { state: previous.result.state, changes }
  const state = mode.assemble(lowered.parts, plan, earlier)
  const inspection = mode.inspectState(state, lowered.parts)
  const host = kept(mode.hostSettings(plan.kernel), previous?.result.host)
  return {
    ports,
    lowered,
    addressConflicts,
    holders,
    diagnostics: [...addressConflicts, ...inspection.diagnostics, ...portDiagnostics(lowered)],
    result: {
      family,
      plan,
      state,
      ...(host && { host }),
      healthCheckNodePorts: kept(healthCheckNodePorts, previous?.result.healthCheckNodePorts),
      counts: {
        servicePorts: ports.length,
        endpoints: plan.endpointCount,
        chains: lowered.counts.chains + inspection.counts.chains,
        rules: lowered.counts.rules + inspection.counts.rules,
      },
    },
  }
}

function endpointsOf(services: readonly ServicePlan[]): number {
  return services.reduce((total, { endpointCount }) => total + endpointCount, 0)
}

function planReplacements(replacements: readonly Replacement<PortRecord>[]): readonly Replacement<ServicePlan>[] {
  return mapReplacements(replacements, ({ plan }) => plan)
}

/** Where there were no conflicts, only claims that come are compared with those that are there. */
function conflictsAfter(
  ports: Ports,
  removed: Ports,
  added: Ports,
  previous: FamilyCompilation,
): Pick<FamilyCompilation, 'addressConflicts' | 'holders'> {
  const { addressConflicts: before } = previous
  if (before.length === 0) {
    const holders = previous.holders ?? holdersOf(claimsOf(previous.ports))
    previous.holders = undefined
    if (exchangeClaims(holders, claimsOf(removed), claimsOf(added))) return { addressConflicts: before, holders }
  } else if (sameClaims(removed, added)) return { addressConflicts: before, holders: undefined }
  return { addressConflicts: findAddressConflicts(claimsOf(ports)), holders: undefined }
}

/** Whether service ports that come claim what those that go have claimed, in the same order. */
function sameClaims(removed: Ports, added: Ports): boolean {
  return sameValue(claimsOf([...removed].sort(byPortId)), claimsOf([...added].sort(byPortId)))
}

function claimsOf(ports: Ports): readonly (readonly AddressClaim[])[] {
  return ports.map(({ claims }) => claims)
}
