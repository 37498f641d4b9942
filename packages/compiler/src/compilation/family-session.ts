import type { Diagnostic } from '@kube-rules/types'
import { kept } from '../diff/resource.js'
import { NO_ITEMS } from '../internal/items-by-key.js'
import {
  mapReplacements,
  type Replacement,
  replaceItems,
  replacementsIn,
  replaceSorted,
} from '../internal/sorted-list.js'
import type { NodeOfFamily } from '../node/resolve-node.js'
import { planFrame } from '../plan/plan-service.js'
import { type AddressClaim, addressConflicts, type Claims, exchangeClaims } from '../services/conflicts.js'
import type { HealthCheckNodePort } from '../services/health-checks.js'
import type { Mode, StateCounts } from '../targets/mode.js'
import { collect } from './collect.js'
import type { FamilyResult } from './compile-result.js'
import { modeLimitation } from './mode-limitation.js'
import { byPortId, type PortRecord } from './service-record.js'

/** What is known of one address family. */
export interface FamilySession {
  readonly mode: Mode
  readonly node: NodeOfFamily
  /** What every part depends on beside its plan (`Mode.lowering`). */
  readonly lowering: unknown
  /** In the plan's order, as are `parts`. */
  readonly ports: readonly LoweredPort[]
  readonly parts: readonly unknown[]
  /** The service ports of which there is something to say: a few of many. */
  readonly reporting: readonly LoweredPort[]
  /** How much the parts hold. */
  readonly counts: StateCounts
  readonly claims: Claims
  readonly diagnostics: readonly Diagnostic[]
  readonly result: FamilyResult
}

/** A service port and what the mode makes of it. */
interface LoweredPort {
  readonly record: PortRecord
  readonly part: unknown
  readonly counts: StateCounts
  readonly limitations: readonly Diagnostic[]
}

/** Service ports that go and service ports that come; a changed one is in both. */
export interface PortChanges {
  readonly removed: readonly PortRecord[]
  readonly added: readonly PortRecord[]
}

/** A family without service ports. */
export function emptyFamily(mode: Mode, node: NodeOfFamily): FamilySession {
  const frame = planFrame(node.family, node, 0)
  const known = {
    ...{ mode, node, lowering: mode.lowering(frame), ports: [], parts: [], reporting: [] },
    ...{ counts: { chains: 0, rules: 0 }, claims: NO_ITEMS },
  }
  const state = mode.assemble([], frame)
  return withResult(known, { plan: { ...frame, services: [] }, state, healthCheckNodePorts: [] }, undefined)
}

/** The family after some of its service ports have changed, at their cost. */
export function stepFamily(
  before: FamilySession,
  changes: PortChanges,
  healthCheckNodePorts: readonly HealthCheckNodePort[],
): FamilySession {
  const { mode, node, result } = before
  const healthChecks = kept(healthCheckNodePorts, result.healthCheckNodePorts)
  const isSame = changes.removed.length + changes.added.length === 0
  if (isSame && healthChecks === result.healthCheckNodePorts) return before
  const endpointCount = result.plan.endpointCount - endpointsOf(changes.removed) + endpointsOf(changes.added)
  const frame = planFrame(node.family, node, endpointCount)
  const lowering = kept(mode.lowering(frame), before.lowering)
  const { removed, added } = lowering === before.lowering ? changes : allPorts(before, changes)
  const lowered = added.map((record) => lowerPort(mode, record, node, lowering))
  const replacements = replacementsIn(before.ports, removed.map(unlowered), lowered, byRecord)
  const partReplacements = mapReplacements(replacements, ({ part }) => part)
  const parts = replaceItems(before.parts, partReplacements)
  const gone = removedBy(replacements, before.ports)
  const known = {
    ...{ mode, node, lowering, parts },
    ports: replaceItems(before.ports, replacements),
    reporting: replaceSorted(
      before.reporting,
      gone.filter(hasSomethingToReport),
      lowered.filter(hasSomethingToReport),
      byRecord,
    ),
    counts: addCounts(addCounts(before.counts, gone, -1), lowered, 1),
    claims: exchangeClaims(before.claims, claimsOf(changes.removed), claimsOf(changes.added)),
  }
  const planReplacements = mapReplacements(replacements, ({ record }) => record.plan)
  const plan = { ...frame, services: replaceItems(result.plan.services, planReplacements) }
  const earlier = { state: result.state, parts: before.parts, replacements: partReplacements }
  const state = mode.assemble(parts, frame, earlier)
  return withResult(known, { plan, state, healthCheckNodePorts: healthChecks }, result)
}

type Known = Omit<FamilySession, 'diagnostics' | 'result'>

function withResult(
  known: Known,
  { plan, state, healthCheckNodePorts }: Pick<FamilyResult, 'plan' | 'state' | 'healthCheckNodePorts'>,
  before: FamilyResult | undefined,
): FamilySession {
  const { mode, ports, parts, counts, claims, reporting } = known
  const inspection = mode.inspectState(state, parts)
  const host = kept(mode.hostSettings(plan.kernel), before?.host)
  return {
    ...known,
    diagnostics: [
      ...addressConflicts(claims),
      ...inspection.diagnostics,
      ...reporting.flatMap(({ record }) => record.conflicts),
      ...reporting.flatMap(({ limitations }) => limitations),
    ],
    result: {
      family: plan.family,
      plan,
      state,
      ...(host && { host }),
      healthCheckNodePorts,
      counts: {
        servicePorts: ports.length,
        endpoints: plan.endpointCount,
        chains: counts.chains + inspection.counts.chains,
        rules: counts.rules + inspection.counts.rules,
      },
    },
  }
}

/** Every service port: all go and all come that stay or are new. For changes of what every part depends on. */
function allPorts({ ports }: FamilySession, { removed, added }: PortChanges): PortChanges {
  const gone = new Set(removed)
  const all = ports.map(({ record }) => record)
  return { removed: all, added: [...all.filter((record) => !gone.has(record)), ...added] }
}

function lowerPort(mode: Mode, record: PortRecord, { family }: NodeOfFamily, lowering: unknown): LoweredPort {
  const part = mode.lowerService(record.plan, lowering)
  const found = mode.limitationsOf(record.plan, lowering)
  const limitations = found.length === 0 ? NONE : found.map((each) => modeLimitation(record.plan, family, each))
  return { record, part, counts: mode.countPart(part), limitations }
}

const NONE: readonly Diagnostic[] = []

function unlowered(record: PortRecord): { readonly record: PortRecord } {
  return { record }
}

function byRecord(a: { readonly record: PortRecord }, b: { readonly record: PortRecord }): number {
  return byPortId(a.record, b.record)
}

function removedBy<T>(replacements: readonly Replacement<T>[], list: readonly T[]): readonly T[] {
  return collect(replacements, ({ at, removed }) => list.slice(at, at + removed))
}

function hasSomethingToReport({ record, limitations }: LoweredPort): boolean {
  return record.conflicts.length + limitations.length > 0
}

function addCounts(total: StateCounts, ports: readonly LoweredPort[], sign: 1 | -1): StateCounts {
  let { chains, rules } = total
  for (const { counts } of ports) {
    chains += sign * counts.chains
    rules += sign * counts.rules
  }
  return { chains, rules }
}

function endpointsOf(ports: readonly PortRecord[]): number {
  return ports.reduce((total, { plan }) => total + plan.endpointCount, 0)
}

function claimsOf(ports: readonly PortRecord[]): readonly AddressClaim[] {
  return collect(ports, ({ claims }) => claims)
}
