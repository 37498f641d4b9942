import type { Diagnostic } from '@kube-rules/types'
import { withLazyArray } from '../internal/lazy-array.js'
import { type ListReplacement, replaceItems } from '../internal/list-changes.js'
import { collect, mapList } from '../internal/map-list.js'
import { createLazyGetter, enableMemo } from '../internal/memo.js'
import { reuseIfEqual } from '../internal/plain-data.js'
import { mapReplacements, replaceSortedItems } from '../internal/sorted-list.js'
import type { FamilyNodeContext } from '../model/node/resolve-node.js'
import { type AddressClaimsByKey, findAddressConflicts } from '../model/services/conflicts.js'
import type { Plan, PlanHeader, ServicePlan } from '../plan/plan.js'
import type { AssembledState, ContributionCounts, CountsByName, ResumableAssembly } from '../targets/mode-lowering.js'
import { type CachedServicePort, compareCachedServicePorts } from './cached-services.js'
import type { FamilyResult } from './compile-result.js'
import type { FamilyLoweringContext, LoweredServicePort } from './lowered-service-port.js'

/** The inputs of the rules of one address family, except its service ports. */
export interface FamilyFacts extends Pick<FamilyLoweringContext, 'mode' | 'lowering'> {
  readonly node: FamilyNodeContext
  readonly header: PlanHeader
  readonly claims: AddressClaimsByKey
  /** Whether a service port still has rules of an earlier lowering context, as in kube-proxy until its next full sync. */
  readonly hasOldRules: boolean
  readonly reported: ReportedFacts
}

/** The facts of a family that only few Services contribute to. */
export interface ReportedFacts extends Pick<FamilyResult, 'healthCheckNodePorts'>, Pick<Plan, 'unassignedEndpoints'> {}

/** The rules of one address family, with the data that the next update needs. Immutable. */
export interface FamilySnapshot extends Omit<FamilyFacts, 'header' | 'reported'> {
  /** The service ports in the order of the plan. */
  readonly ports: readonly LoweredServicePort[]
  /** The contributions of the service ports to the rules of the node, in the order of `ports`. */
  readonly parts: () => readonly unknown[]
  /** The few service ports that have diagnostics: conflicts, or limitations of the mode. */
  readonly reporting: readonly LoweredServicePort[]
  /** The total counts of chains, rules and other content in all contributions. */
  readonly counts: ContributionCounts
  /** Reasons why the kernel would reject the state as a whole. */
  readonly stateDiagnostics: readonly Diagnostic[]
  /** Data that the mode needs for the next state (`Assembly.memory`). */
  readonly memory: unknown
  readonly diagnostics: () => readonly Diagnostic[]
  readonly result: FamilyResult
}

/**
 * Assembles a family without service ports. `resumed` is the state of the family in the same mode before everything is
 * recompiled.
 */
export function assembleEmptyFamily(facts: FamilyFacts, resumed: ResumableAssembly | undefined): FamilySnapshot {
  const { mode, header } = facts
  const list = () => []
  const counts = mode.countParts([])
  const assembled = mode.assemble({ list, counts }, header, undefined, resumed)
  return createSnapshot(facts, { ports: [], parts: list, reporting: [], counts }, assembled, undefined)
}

/** Assembles a family with some service ports replaced. The lists of its new state are created on first access. */
export function assembleFamily(
  previous: FamilySnapshot,
  facts: FamilyFacts,
  replacements: readonly ListReplacement<LoweredServicePort>[],
): FamilySnapshot {
  const { mode, header } = facts
  const removed = collect(replacements, ({ at, removed }) => previous.ports.slice(at, at + removed))
  const added = collect(replacements, ({ added }) => added)
  const withAdded = sumCounts(previous.counts, mode.countParts(added.map(partOf)), 1)
  const counts = sumCounts(withAdded, mode.countParts(removed.map(partOf)), -1)
  const previousParts = previous.parts()
  const changedParts = replacements.filter((each) => !hasSameParts(each, previous.ports))
  const partReplacements = mapReplacements(changedParts, partOf)
  const parts = createLazyGetter(() => replaceItems(previousParts, partReplacements))
  const earlier = {
    state: previous.result.state,
    memory: previous.memory,
    header: previous.result.plan,
    parts: previousParts,
    counts: previous.counts,
    replacements: partReplacements,
  }
  const assembled = mode.assemble({ list: parts, counts }, header, earlier)
  const reporting = replaceSortedItems(
    previous.reporting,
    removed.filter(isReporting),
    added.filter(isReporting),
    compareByCached,
  )
  const ports = replaceItems(previous.ports, replacements)
  return createSnapshot(facts, { ports, parts, reporting, counts }, assembled, previous)
}

/** Compares two service ports by their order in the plan. */
export function compareByCached(
  a: { readonly cached: CachedServicePort },
  b: { readonly cached: CachedServicePort },
): number {
  return compareCachedServicePorts(a.cached, b.cached)
}

function hasSameParts(
  { at, removed, added }: ListReplacement<LoweredServicePort>,
  ports: readonly LoweredServicePort[],
): boolean {
  return removed === added.length && added.every(({ part }, index) => part === ports[at + index]?.part)
}

function createSnapshot(
  { header, reported, ...facts }: FamilyFacts,
  contributions: Pick<FamilySnapshot, 'ports' | 'parts' | 'reporting' | 'counts'>,
  { state, memory, counts, diagnostics }: AssembledState,
  previous: FamilySnapshot | undefined,
): FamilySnapshot {
  const { mode, claims } = facts
  const { ports, reporting } = contributions
  const { healthCheckNodePorts, unassignedEndpoints } = reported
  const services = createLazyGetter(() => mapList(ports, planOf))
  const stateDiagnostics = reuseIfEqual(diagnostics, previous?.stateDiagnostics)
  const hostRequirements = reuseIfEqual(mode.hostRequirements(header.kernel), previous?.result.hostRequirements)
  const isSame =
    claims === previous?.claims && reporting === previous.reporting && stateDiagnostics === previous.stateDiagnostics
  return {
    ...facts,
    ...contributions,
    stateDiagnostics,
    memory,
    diagnostics: isSame
      ? previous.diagnostics
      : createLazyGetter(() => familyDiagnostics(claims, stateDiagnostics, reporting)),
    result: {
      family: header.family,
      plan: withLazyArray({ ...header, unassignedEndpoints }, 'services', services),
      state: enableMemo({ ...state }),
      ...(hostRequirements && { hostRequirements }),
      healthCheckNodePorts,
      counts: {
        servicePorts: ports.length,
        endpoints: header.endpointCount,
        chains: counts.chains,
        rules: counts.rules,
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
