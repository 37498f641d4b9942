import type { Diagnostic } from '@kube-rules/types'
import { kept, sameValue } from '../diff/resource.js'
import { isSameList } from '../internal/is-same-list.js'
import { NO_ITEMS } from '../internal/items-by-key.js'
import {
  findSorted,
  mapReplacements,
  type Replacement,
  replaceItems,
  replacementsIn,
  replaceSorted,
} from '../internal/sorted-list.js'
import type { NodeOfFamily } from '../node/resolve-node.js'
import type { PlanFrame } from '../plan/plan.js'
import { planFrame } from '../plan/plan-service.js'
import { type AddressClaim, addressConflicts, type Claims, exchangeClaims } from '../services/conflicts.js'
import type { HealthCheckNodePort } from '../services/health-checks.js'
import { servicePortText } from '../services/service-port-text.js'
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
export interface LoweredPort {
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

/**
 * The family after some of its service ports have changed, at their cost. `like` is the family of another node after the
 * same change: parts are taken from there where the nodes make no difference to them.
 */
export function stepFamily(
  before: FamilySession,
  changes: PortChanges,
  healthCheckNodePorts: readonly HealthCheckNodePort[],
  like?: FamilySession,
): FamilySession {
  const { mode, node, result } = before
  const healthChecks = kept(healthCheckNodePorts, result.healthCheckNodePorts)
  const isSame = changes.removed.length + changes.added.length === 0
  if (isSame && healthChecks === result.healthCheckNodePorts) return before
  const endpointCount = result.plan.endpointCount - endpointsOf(changes.removed) + endpointsOf(changes.added)
  const frame = planFrame(node.family, node, endpointCount)
  const lowering = kept(kept(mode.lowering(frame), before.lowering), like?.lowering)
  const { removed, added } = sameValue(lowering, before.lowering) ? changes : allPorts(before, changes)
  const lowered = added.map((record) => lowerPort(mode, record, node, lowering, like))
  const claims = exchangeClaims(before.claims, claimsOf(changes.removed), claimsOf(changes.added))
  return exchangePorts(before, { node, frame, lowering, claims }, removed, lowered, healthChecks)
}

/** Service ports, what they are lowered with, and to what. */
export interface LoweredPorts {
  readonly lowering: unknown
  readonly ports: readonly LoweredPort[]
}

/**
 * What is lowered otherwise on another node than that of `base`, where `ports` are the service ports with another record.
 * Where one of them is `known`, that is taken.
 */
export function forkPorts(
  base: FamilySession,
  node: NodeOfFamily,
  ports: readonly PortRecord[],
  known: LoweredPorts | undefined,
): LoweredPorts {
  const { mode, result } = base
  const lowering = kept(mode.lowering(planFrame(node.family, node, result.plan.endpointCount)), base.lowering)
  const isKnown = known !== undefined && sameValue(known.lowering, lowering)
  const byRecord = new Map(isKnown ? known.ports.map((port) => [port.record, port]) : [])
  const records = lowering === base.lowering ? ports : withOthers(base, ports, lowering)
  const lowered = records.map((record) => byRecord.get(record) ?? lowerPort(mode, record, node, lowering, base))
  return { lowering, ports: lowered }
}

/** The family on another node than that of `base`, where these service ports are lowered otherwise. */
export function forkFamily(
  base: FamilySession,
  node: NodeOfFamily,
  { lowering, ports }: LoweredPorts,
  healthCheckNodePorts: readonly HealthCheckNodePort[],
): FamilySession {
  const { claims, result } = base
  const frame = planFrame(node.family, node, result.plan.endpointCount)
  const removed = ports.map(({ record }) => record)
  const healthChecks = kept(healthCheckNodePorts, result.healthCheckNodePorts)
  return exchangePorts(base, { node, frame, lowering, claims }, removed, ports, healthChecks)
}

/** Some service ports, and all others whose part another lowering changes. */
function withOthers(base: FamilySession, ports: readonly PortRecord[], lowering: unknown): readonly PortRecord[] {
  const { mode } = base
  const texts = new Set(ports.map(({ plan }) => servicePortText(plan.id)))
  const others = base.ports
    .map(({ record }) => record)
    .filter(({ plan }) => !texts.has(servicePortText(plan.id)))
    .filter(({ plan }) => !mode.isSamePart(plan, base.lowering, plan, lowering))
  return [...ports, ...others]
}

type Exchanged = Pick<FamilySession, 'node' | 'lowering' | 'claims'> & { readonly frame: PlanFrame }

/** The family with other service ports in the place of some. */
function exchangePorts(
  before: FamilySession,
  { node, frame, lowering, claims }: Exchanged,
  removed: readonly PortRecord[],
  lowered: readonly LoweredPort[],
  healthCheckNodePorts: readonly HealthCheckNodePort[],
): FamilySession {
  const { mode, result } = before
  const replacements = replacementsIn(before.ports, removed.map(unlowered), lowered, byRecord)
  const partReplacements = mapReplacements(replacements, ({ part }) => part).filter(
    ({ at, removed: count, added }) => count !== added.length || !isSameList(before.parts.slice(at, at + count), added),
  )
  const parts = replaceItems(before.parts, partReplacements)
  const gone = removedBy(replacements, before.ports)
  const known = {
    ...{ mode, node, lowering, parts, claims },
    ports: replaceItems(before.ports, replacements),
    reporting: replaceSorted(
      before.reporting,
      gone.filter(hasSomethingToReport),
      lowered.filter(hasSomethingToReport),
      byRecord,
    ),
    counts: addCounts(addCounts(before.counts, gone, -1), lowered, 1),
  }
  const planReplacements = mapReplacements(replacements, ({ record }) => record.plan)
  const plan = { ...frame, services: replaceItems(result.plan.services, planReplacements) }
  const earlier = { state: result.state, parts: before.parts, replacements: partReplacements }
  const state = mode.assemble(parts, frame, earlier)
  return withResult(known, { plan, state, healthCheckNodePorts }, result)
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

/** What the mode makes of a service port; what it comes to on another node where that is the same. */
function lowerPort(
  mode: Mode,
  record: PortRecord,
  { family }: NodeOfFamily,
  lowering: unknown,
  like: FamilySession | undefined,
): LoweredPort {
  const other = like && findSorted(like.ports, (port) => byPortId(port.record, record))
  if (like && other && mode.isSamePart(other.record.plan, like.lowering, record.plan, lowering)) {
    return other.record === record ? other : { ...other, record }
  }
  const part = mode.lowerService(record.plan, lowering)
  const found = mode.limitationsOf(record.plan, lowering)
  const limitations = found.length === 0 ? NONE : found.map((each) => modeLimitation(record.plan, family, each))
  return { record, part, counts: mode.inspectPart(part), limitations }
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
