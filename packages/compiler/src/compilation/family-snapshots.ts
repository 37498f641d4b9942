import type { IpFamily } from '@kube-rules/types'
import { NO_ITEMS } from '../internal/items-by-key.js'
import { collect, mapList } from '../internal/map-list.js'
import { reuseIfEqual } from '../internal/plain-data.js'
import { computeReplacements } from '../internal/sorted-list.js'
import type { FamilyNodeContext } from '../model/node/resolve-node.js'
import { type AddressClaim, replaceAddressClaims } from '../model/services/conflicts.js'
import { createPlanHeader } from '../plan/plan-service.js'
import type { ModeLowering } from '../targets/mode-lowering.js'
import {
  assembleEmptyFamily,
  assembleFamily,
  compareByCached,
  type FamilySnapshot,
  type ReportedFacts,
} from './assemble-family.js'
import type { CachedService, CachedServiceChanges, CachedServicePort, CachedServices } from './cached-services.js'
import { findChangedPorts, findPortsToLower, type PortChanges } from './changed-ports.js'
import type { FamilyResult } from './compile-result.js'
import { lowerServicePort, type ServicePortLowering } from './lowered-service-port.js'

/**
 * Returns the snapshot of a family without service ports. If everything must be recompiled, `previous` is the last
 * snapshot of the family in the same mode.
 */
export function createEmptyFamilySnapshot(
  mode: ModeLowering,
  node: FamilyNodeContext,
  previous?: FamilySnapshot,
): FamilySnapshot {
  const header = createPlanHeader(node.family, node, 0)
  const lowering = mode.lowering(header)
  const reported = { healthCheckNodePorts: [], unassignedEndpoints: [] }
  const facts = { mode, node, header, lowering, claims: NO_ITEMS, hasOldRules: false, reported }
  return assembleEmptyFamily(facts, previous && { state: previous.result.state, memory: previous.memory })
}

/** Updates the families after cached Services were replaced. Returns the same array if nothing changes. */
export function updateFamilySnapshots(
  previous: readonly FamilySnapshot[],
  nodes: readonly FamilyNodeContext[],
  { removed, added }: CachedServiceChanges,
  { reporting }: CachedServices,
  lower: ServicePortLowering = lowerServicePort,
): readonly FamilySnapshot[] {
  const families = previous.map((family, index) => {
    const name = family.result.family
    const changes = findChangedPorts(portsOf(removed, name), portsOf(added, name))
    const reported = reportedBy(reporting, name, family.result)
    return updateFamily(family, nodes[index] ?? family.node, changes, reported, lower)
  })
  return families.every((family, index) => family === previous[index]) ? previous : families
}

function updateFamily(
  previous: FamilySnapshot,
  node: FamilyNodeContext,
  changes: PortChanges,
  reported: ReportedFacts,
  lower: ServicePortLowering,
): FamilySnapshot {
  const { mode, result } = previous
  const isSame = node === previous.node && changes.removed.length + changes.added.length === 0
  const isReportedSame =
    reported.healthCheckNodePorts === result.healthCheckNodePorts &&
    reported.unassignedEndpoints === result.plan.unassignedEndpoints
  if (isSame && isReportedSame) return previous
  const endpointCount = result.plan.endpointCount - endpointsOf(changes.removed) + endpointsOf(changes.added)
  const header = createPlanHeader(node.family, node, endpointCount)
  const lowering = reuseIfEqual(mode.lowering(header), previous.lowering)
  const isKept = lowering === previous.lowering || mode.rewritesUnchangedPorts?.(previous.lowering, lowering) === false
  const { removed, added } = isKept ? changes : findPortsToLower(previous, changes, lowering)
  const lowered = mapList(added, (cached) => lower(cached, { mode, lowering, family: node.family }))
  const replacements = computeReplacements(previous.ports, removed.map(unlowered), lowered, compareByCached)
  const claims = replaceAddressClaims(previous.claims, claimsOf(changes.removed), claimsOf(changes.added))
  const keepsRules = lowering !== previous.lowering && previous.ports.length > 0
  const hasOldRules = isKept && (previous.hasOldRules || keepsRules)
  return assembleFamily(previous, { mode, node, header, lowering, claims, hasOldRules, reported }, replacements)
}

/** Lowers every service port again, like a full sync of kube-proxy, if one still has rules of an earlier context. */
export function refreshFamilySnapshot(family: FamilySnapshot): FamilySnapshot {
  if (!family.hasOldRules) return family
  const { mode, node, lowering, claims, ports, result } = family
  const lowered = mapList(ports, ({ cached }) => lowerServicePort(cached, { mode, lowering, family: node.family }))
  const replacements = computeReplacements(ports, ports, lowered, compareByCached)
  const { plan: header, healthCheckNodePorts } = result
  const reported = { healthCheckNodePorts, unassignedEndpoints: header.unassignedEndpoints }
  return assembleFamily(family, { mode, node, header, lowering, claims, hasOldRules: false, reported }, replacements)
}

function unlowered(cached: CachedServicePort): { readonly cached: CachedServicePort } {
  return { cached }
}

function portsOf(services: readonly CachedService[], family: IpFamily): readonly CachedServicePort[] {
  return collect(services, ({ families }) => families[family]?.ports ?? [])
}

/** Returns what Services contribute to a family. Lists that are equal to those of the previous result are reused. */
function reportedBy(services: readonly CachedService[], family: IpFamily, previous: FamilyResult): ReportedFacts {
  const healthChecks = services.flatMap(({ families }) => families[family]?.healthCheck ?? [])
  const unassigned = services.flatMap(({ families }) => families[family]?.unassignedEndpoints ?? [])
  return {
    healthCheckNodePorts: reuseIfEqual(healthChecks, previous.healthCheckNodePorts),
    unassignedEndpoints: reuseIfEqual(unassigned, previous.plan.unassignedEndpoints),
  }
}

function endpointsOf(ports: readonly CachedServicePort[]): number {
  return ports.reduce((total, { plan }) => total + plan.endpointCount, 0)
}

function claimsOf(ports: readonly CachedServicePort[]): readonly AddressClaim[] {
  return collect(ports, ({ claims }) => claims)
}
