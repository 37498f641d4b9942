import type { Diagnostic, IpFamily } from '@kube-rules/types'
import { NO_ITEMS } from '../internal/items-by-key.js'
import { withLazyArray } from '../internal/lazy-array.js'
import { type ListReplacement, replaceItems } from '../internal/list-changes.js'
import { collect, mapList } from '../internal/map-list.js'
import { createLazyGetter, enableMemo } from '../internal/memo.js'
import { isDeepEqual, reuseIfEqual } from '../internal/plain-data.js'
import { computeReplacements, mapReplacements, replaceSortedItems } from '../internal/sorted-list.js'
import type { FamilyNodeContext } from '../model/node/resolve-node.js'
import {
  type AddressClaim,
  type AddressClaimsByKey,
  findAddressConflicts,
  replaceAddressClaims,
} from '../model/services/conflicts.js'
import type { Plan, PlanHeader, ServicePlan } from '../plan/plan.js'
import { createPlanHeader } from '../plan/plan-service.js'
import type { AssembledState, ContributionCounts, CountsByName, ModeLowering } from '../targets/mode-lowering.js'
import {
  type CachedService,
  type CachedServiceChanges,
  type CachedServicePort,
  type CachedServices,
  compareCachedServicePorts,
} from './cached-services.js'
import type { FamilyResult } from './compile-result.js'
import {
  type FamilyLoweringContext,
  type LoweredServicePort,
  lowerServicePort,
  type ServicePortLowering,
} from './lowered-service-port.js'

/** The rules of one address family, with the data that the next update needs. Immutable. */
export interface FamilySnapshot extends Pick<FamilyLoweringContext, 'mode' | 'lowering'> {
  readonly node: FamilyNodeContext
  /** The service ports in the order of the plan. */
  readonly ports: readonly LoweredServicePort[]
  /** The contributions of the service ports to the rules of the node, in the order of `ports`. */
  readonly parts: () => readonly unknown[]
  /** The few service ports that have diagnostics: conflicts, or limitations of the mode. */
  readonly reporting: readonly LoweredServicePort[]
  /** The total counts of chains, rules and other content in all contributions. */
  readonly counts: ContributionCounts
  readonly claims: AddressClaimsByKey
  /** Whether a service port still has rules of an earlier lowering context, as in kube-proxy until its next full sync. */
  readonly hasOldRules: boolean
  /** Reasons why the kernel would reject the state as a whole. */
  readonly stateDiagnostics: readonly Diagnostic[]
  /** Data that the mode needs for the next state (`Assembly.memory`). */
  readonly memory: unknown
  readonly diagnostics: () => readonly Diagnostic[]
  readonly result: FamilyResult
}

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
  const counts = mode.countParts([])
  const list = () => []
  const common = {
    mode,
    node,
    lowering: mode.lowering(header),
    ports: [],
    parts: list,
    reporting: [],
    hasOldRules: false,
  }
  const resumed = previous && { state: previous.result.state, memory: previous.memory }
  const assembled = mode.assemble({ list, counts }, header, undefined, resumed)
  const content = { header, healthCheckNodePorts: [], unassignedEndpoints: [] }
  return withResult({ ...common, counts, claims: NO_ITEMS }, content, assembled, undefined)
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
    const changes = changedPorts(portsOf(removed, name), portsOf(added, name))
    const reported = reportedBy(reporting, name, family.result)
    return updateFamily(family, nodes[index] ?? family.node, changes, reported, lower)
  })
  return families.every((family, index) => family === previous[index]) ? previous : families
}

/** Removed and added service ports. A changed service port is removed in its old form and added in its new form. */
interface PortChanges {
  readonly removed: readonly CachedServicePort[]
  readonly added: readonly CachedServicePort[]
}

/** Computes the removed and added service ports. A service port that is in `before` and in `after` is unchanged. */
function changedPorts(before: readonly CachedServicePort[], after: readonly CachedServicePort[]): PortChanges {
  if (before.length === 0) return { removed: before, added: after }
  const [old, fresh] = [new Set(before), new Set(after)]
  return { removed: before.filter((port) => !fresh.has(port)), added: after.filter((port) => !old.has(port)) }
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
  const isKept = lowering === previous.lowering || mode.changesAtOnce?.(previous.lowering, lowering) === false
  const { removed, added } = isKept ? changes : portsToLower(previous, changes, lowering)
  const lowered = mapList(added, (cached) => lower(cached, { mode, lowering, family: node.family }))
  const replacements = computeReplacements(previous.ports, removed.map(unlowered), lowered, byCached)
  const claims = replaceAddressClaims(previous.claims, claimsOf(changes.removed), claimsOf(changes.added))
  const keepsRules = lowering !== previous.lowering && previous.ports.length > 0
  const hasOldRules = isKept && (previous.hasOldRules || keepsRules)
  return replacePorts(previous, { node, header, lowering, claims, hasOldRules, ...reported }, replacements)
}

/** Lowers every service port again, like a full sync of kube-proxy, if one still has rules of an earlier context. */
export function refreshFamilySnapshot(family: FamilySnapshot): FamilySnapshot {
  if (!family.hasOldRules) return family
  const { mode, node, lowering, ports, result } = family
  const lowered = mapList(ports, ({ cached }) => lowerServicePort(cached, { mode, lowering, family: node.family }))
  const replacements = computeReplacements(ports, ports, lowered, byCached)
  const { plan, healthCheckNodePorts } = result
  const { unassignedEndpoints } = plan
  const facts = { ...family, header: plan, healthCheckNodePorts, unassignedEndpoints, hasOldRules: false }
  return replacePorts(family, facts, replacements)
}

/**
 * Returns the changed service ports. Also returns the unchanged service ports that must be lowered again, because their
 * contribution depends on a changed part of the lowering context.
 */
function portsToLower(previous: FamilySnapshot, { removed, added }: PortChanges, lowering: unknown): PortChanges {
  const { mode, ports } = previous
  const { loweringOf } = mode
  const gone = new Set(removed)
  const others: CachedServicePort[] = []
  for (const { cached } of ports) {
    const { plan } = cached
    const isSame = loweringOf && isDeepEqual(loweringOf(plan, previous.lowering), loweringOf(plan, lowering))
    if (!isSame && !gone.has(cached)) others.push(cached)
  }
  return { removed: [...removed, ...others], added: [...others, ...added] }
}

/** The facts of a family that only few Services contribute to. */
interface ReportedFacts extends Pick<FamilyResult, 'healthCheckNodePorts'>, Pick<Plan, 'unassignedEndpoints'> {}

interface FamilyFacts extends Pick<FamilySnapshot, 'node' | 'lowering' | 'claims' | 'hasOldRules'>, ReportedFacts {
  readonly header: PlanHeader
}

/**
 * Returns the family with some service ports replaced. The lists of its new state are assembled lazily, on first
 * access.
 */
function replacePorts(
  previous: FamilySnapshot,
  { node, header, lowering, claims, hasOldRules, healthCheckNodePorts, unassignedEndpoints }: FamilyFacts,
  replacements: readonly ListReplacement<LoweredServicePort>[],
): FamilySnapshot {
  const { mode, result } = previous
  const removed = collect(replacements, ({ at, removed }) => previous.ports.slice(at, at + removed))
  const added = collect(replacements, ({ added }) => added)
  const withAdded = sumCounts(previous.counts, mode.countParts(added.map(partOf)), 1)
  const counts = sumCounts(withAdded, mode.countParts(removed.map(partOf)), -1)
  const previousParts = previous.parts()
  const changedParts = replacements.filter((each) => !hasSameParts(each, previous.ports))
  const partReplacements = mapReplacements(changedParts, partOf)
  const parts = createLazyGetter(() => replaceItems(previousParts, partReplacements))
  const earlier = {
    state: result.state,
    memory: previous.memory,
    header: result.plan,
    parts: previousParts,
    counts: previous.counts,
    replacements: partReplacements,
  }
  const assembled = mode.assemble({ list: parts, counts }, header, earlier)
  const ports = replaceItems(previous.ports, replacements)
  const reporting = replaceSortedItems(
    previous.reporting,
    removed.filter(isReporting),
    added.filter(isReporting),
    byCached,
  )
  return withResult(
    { mode, node, lowering, ports, parts, claims, reporting, counts, hasOldRules },
    { header, healthCheckNodePorts, unassignedEndpoints },
    assembled,
    previous,
  )
}

function hasSameParts(
  { at, removed, added }: ListReplacement<LoweredServicePort>,
  ports: readonly LoweredServicePort[],
): boolean {
  return removed === added.length && added.every(({ part }, index) => part === ports[at + index]?.part)
}

/** The data, excluding the node state and the service ports, that a family result is built from. */
interface ResultFacts extends ReportedFacts {
  readonly header: PlanHeader
}

function withResult(
  family: Omit<FamilySnapshot, 'diagnostics' | 'stateDiagnostics' | 'memory' | 'result'>,
  { header, healthCheckNodePorts, unassignedEndpoints }: ResultFacts,
  assembled: AssembledState,
  previous: FamilySnapshot | undefined,
): FamilySnapshot {
  const { mode, ports, claims, reporting } = family
  const services = createLazyGetter(() => mapList(ports, planOf))
  const stateDiagnostics = reuseIfEqual(assembled.diagnostics, previous?.stateDiagnostics)
  const hostRequirements = reuseIfEqual(mode.hostRequirements(header.kernel), previous?.result.hostRequirements)
  const isSame =
    claims === previous?.claims && reporting === previous.reporting && stateDiagnostics === previous.stateDiagnostics
  return {
    ...family,
    stateDiagnostics,
    memory: assembled.memory,
    diagnostics: isSame
      ? previous.diagnostics
      : createLazyGetter(() => familyDiagnostics(claims, stateDiagnostics, reporting)),
    result: {
      family: header.family,
      plan: withLazyArray({ ...header, unassignedEndpoints }, 'services', services),
      state: enableMemo({ ...assembled.state }),
      ...(hostRequirements && { hostRequirements }),
      healthCheckNodePorts,
      counts: {
        servicePorts: ports.length,
        endpoints: header.endpointCount,
        chains: assembled.counts.chains,
        rules: assembled.counts.rules,
      },
    },
  }
}

function familyDiagnostics(
  claims: AddressClaimsByKey,
  stateDiagnostics: readonly Diagnostic[],
  reporting: readonly LoweredServicePort[],
): readonly Diagnostic[] {
  return [
    ...findAddressConflicts(claims),
    ...stateDiagnostics,
    ...reporting.flatMap(({ cached }) => cached.conflicts),
    ...reporting.flatMap(({ limitations }) => limitations),
  ]
}

function isReporting({ cached, limitations }: LoweredServicePort): boolean {
  return cached.conflicts.length + limitations.length > 0
}

function planOf({ cached }: LoweredServicePort): ServicePlan {
  return cached.plan
}

function partOf({ part }: LoweredServicePort): unknown {
  return part
}

function unlowered(cached: CachedServicePort): { readonly cached: CachedServicePort } {
  return { cached }
}

function byCached(a: { readonly cached: CachedServicePort }, b: { readonly cached: CachedServicePort }): number {
  return compareCachedServicePorts(a.cached, b.cached)
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

/** Adds counts to other counts, or subtracts them. */
function sumCounts(counts: ContributionCounts, others: ContributionCounts, sign: 1 | -1): ContributionCounts {
  return {
    chains: counts.chains + sign * others.chains,
    rules: counts.rules + sign * others.rules,
    portsBySet: sumByName(counts.portsBySet, others.portsBySet, sign),
    entriesBySet: sumByName(counts.entriesBySet, others.entriesBySet, sign),
  }
}

function sumByName(
  counts: CountsByName | undefined,
  others: CountsByName | undefined,
  sign: 1 | -1,
): CountsByName | undefined {
  if (others === undefined) return counts
  const sums: Record<string, number> = { ...counts }
  for (const [name, count] of Object.entries(others)) sums[name] = (sums[name] ?? 0) + sign * count
  return sums
}
