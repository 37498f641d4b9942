import type { Diagnostic } from '@kube-rules/types'
import { kept, sameValue } from '../diff/resource.js'
import { listBehind, withArray } from '../internal/array-of-list.js'
import {
  type ChunkedList,
  EMPTY_LIST,
  itemAt,
  itemsBetween,
  itemsOf,
  type Replacement,
  replaceItems,
} from '../internal/chunked-list.js'
import { keepingFindings } from '../internal/findings.js'
import { NO_ITEMS } from '../internal/items-by-key.js'
import { lazily } from '../internal/lazily.js'
import { mapList } from '../internal/map-list.js'
import { findSorted, mapReplacements, replacementsIn, replaceSorted } from '../internal/sorted-list.js'
import type { NodeOfFamily } from '../node/resolve-node.js'
import type { PlanFrame, ServicePlan } from '../plan/plan.js'
import { planFrame } from '../plan/plan-service.js'
import { type AddressClaim, addressConflicts, type Claims, exchangeClaims } from '../services/conflicts.js'
import type { HealthCheckNodePort } from '../services/health-checks.js'
import type { Assembled, Inspection, Mode, PartCounts } from '../targets/mode.js'
import { addCounts, subtractCounts } from './add-counts.js'
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
  /** In the plan's order. */
  readonly ports: ChunkedList<LoweredPort>
  /** Another object where service ports have come to other places. */
  readonly layout: object
  /** What the service ports come to, in the same order. */
  readonly parts: () => ChunkedList<unknown>
  /** The service ports of which there is something to say: a few of many. */
  readonly reporting: () => ChunkedList<LoweredPort>
  /** How much the parts hold. */
  readonly counts: PartCounts
  readonly claims: Claims
  /** Of the state as a whole. */
  readonly inspection: Inspection
  /** What the mode has to know for the next state (`Assembled.memory`). */
  readonly memory: unknown
  readonly diagnostics: () => readonly Diagnostic[]
  readonly result: FamilyResult
}

/** A service port and what the mode makes of it. */
export interface LoweredPort {
  readonly record: PortRecord
  readonly part: unknown
  readonly limitations: readonly Diagnostic[]
}

/** Service ports that go and service ports that come; a changed one is in both. */
export interface PortChanges {
  readonly removed: readonly PortRecord[]
  readonly added: readonly PortRecord[]
}

/** A family without service ports; `before` is the session of the same family and mode before everything was computed anew. */
export function emptyFamily(mode: Mode, node: NodeOfFamily, before?: FamilySession): FamilySession {
  const frame = planFrame(node.family, node, 0)
  const counts = mode.countParts([])
  const nobody = () => EMPTY_LIST
  const lists = { parts: nobody, reporting: nobody }
  const known = { mode, node, lowering: mode.lowering(frame), ...lists, counts, claims: NO_ITEMS }
  const found = { frame, services: NO_SERVICES, healthCheckNodePorts: [] }
  const resumed = before && { state: before.result.state, memory: before.memory }
  const assembled = mode.assemble({ list: nobody, counts }, frame, undefined, resumed)
  return { ...withResult(known, found, assembled, undefined), ports: EMPTY_LIST, layout: {} }
}

const NO_SERVICES: Services = { length: 0, list: () => EMPTY_LIST }

/**
 * The family after some of its service ports have changed, at their cost. `like` is the family of another node after the
 * same change: claims are the same there, and parts are taken from there where the nodes make no difference to them.
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
  const lowered = mapList(added, (record) => lowerPort(mode, record, node, lowering, like))
  const claims = like?.claims ?? exchangeClaims(before.claims, claimsOf(changes.removed), claimsOf(changes.added))
  const exchange = exchangeIn(before, replacementsIn(before.ports, removed.map(unlowered), lowered, byRecord))
  const after = withExchange(before, { node, frame, lowering, claims }, exchange, healthChecks)
  const isInPlace = exchange.ports.every((each) => each.removed === each.added.length)
  return { ...after, ports: replaceItems(before.ports, exchange.ports), layout: isInPlace ? before.layout : {} }
}

/** Who wants no more than a result does not need the list of ports. */
export type FamilyWithoutPorts = Omit<FamilySession, 'ports' | 'layout'>

/** Service ports that take the place of others, in all lists. Forks keep theirs: looking at many ports again takes time. */
export interface Exchange {
  readonly ports: readonly Replacement<LoweredPort>[]
  readonly plans: readonly Replacement<ServicePlan>[]
  /** Only where they are others. */
  readonly parts: readonly Replacement<unknown>[]
  /** How much more the parts hold. */
  readonly counts: PartCounts
  /** Those of which there is something to say. */
  readonly gone: readonly LoweredPort[]
  readonly come: readonly LoweredPort[]
}

export function exchangeIn(
  { mode, ports }: FamilySession,
  replacements: readonly Replacement<LoweredPort>[],
): Exchange {
  const gone = collect(replacements, ({ at, removed }) => itemsBetween(ports, at, at + removed))
  const come = collect(replacements, ({ added }) => added)
  const otherParts = replacements.filter((each) => !isSameParts(each, ports))
  return {
    ports: replacements,
    plans: mapReplacements(replacements, ({ record }) => record.plan),
    parts: mapReplacements(otherParts, partOf),
    counts: subtractCounts(mode.countParts(come.map(partOf)), mode.countParts(gone.map(partOf))),
    gone: gone.filter(hasSomethingToReport),
    come: come.filter(hasSomethingToReport),
  }
}

type Facts = Pick<FamilySession, 'node' | 'lowering' | 'claims'> & { readonly frame: PlanFrame }

/** The family with other service ports in the place of some. Lists of the result are put together when somebody looks at them. */
export function withExchange(
  before: FamilySession,
  { node, frame, lowering, claims }: Facts,
  { plans, parts: replacements, counts: more, gone, come }: Exchange,
  healthCheckNodePorts: readonly HealthCheckNodePort[],
): FamilyWithoutPorts {
  const { mode, result } = before
  const beforeParts = before.parts()
  const isSilent = gone.length + come.length === 0
  const reporting = isSilent ? before.reporting : reportingWith(before.reporting(), gone, come)
  const counts = addCounts(before.counts, more)
  const parts = lazily(() => replaceItems(beforeParts, replacements))
  const known = { state: result.state, memory: before.memory, frame: result.plan }
  const earlier = { ...known, parts: beforeParts, counts: before.counts, replacements }
  const assembled = mode.assemble({ list: parts, counts }, frame, earlier)
  const services = servicesWith(listBehind(result.plan, 'services'), plans)
  return withResult(
    { mode, node, lowering, parts, claims, reporting, counts },
    { frame, services, healthCheckNodePorts },
    assembled,
    before,
  )
}

function reportingWith(
  reporting: ChunkedList<LoweredPort>,
  gone: readonly LoweredPort[],
  come: readonly LoweredPort[],
): () => ChunkedList<LoweredPort> {
  return lazily(() => replaceSorted(reporting, gone, come, byRecord))
}

function isSameParts({ at, removed, added }: Replacement<LoweredPort>, ports: ChunkedList<LoweredPort>): boolean {
  return removed === added.length && added.every(({ part }, index) => part === itemAt(ports, at + index)?.part)
}

function partOf({ part }: LoweredPort): unknown {
  return part
}

/** The plans of service ports, and how many they are before anybody looks at them. */
interface Services {
  readonly length: number
  readonly list: () => ChunkedList<ServicePlan>
}

function servicesWith(plans: ChunkedList<ServicePlan>, replacements: readonly Replacement<ServicePlan>[]): Services {
  const more = replacements.reduce((sum, { removed, added }) => sum + added.length - removed, 0)
  return { length: plans.length + more, list: lazily(() => replaceItems(plans, replacements)) }
}

type Known = Omit<FamilyWithoutPorts, 'diagnostics' | 'inspection' | 'memory' | 'result'>

/** What a result is made of beside its state. */
interface Found extends Pick<FamilyResult, 'healthCheckNodePorts'> {
  readonly frame: PlanFrame
  readonly services: Services
}

function withResult(
  known: Known,
  { frame, services, healthCheckNodePorts }: Found,
  assembled: Assembled,
  before: FamilySession | undefined,
): FamilyWithoutPorts {
  const { mode, counts, claims, reporting } = known
  const inspection = kept(assembled.inspection, before?.inspection)
  const host = kept(mode.hostSettings(frame.kernel), before?.result.host)
  const isSaid = claims === before?.claims && reporting === before.reporting && inspection === before.inspection
  return {
    ...known,
    inspection,
    memory: assembled.memory,
    diagnostics: isSaid
      ? before.diagnostics
      : lazily(() => familyDiagnostics(claims, inspection, itemsOf(reporting()))),
    result: {
      family: frame.family,
      plan: withArray({ ...frame }, 'services', services.list),
      state: keepingFindings({ ...assembled.state }),
      ...(host && { host }),
      healthCheckNodePorts,
      counts: {
        servicePorts: services.length,
        endpoints: frame.endpointCount,
        chains: counts.chains + inspection.counts.chains,
        rules: counts.rules + inspection.counts.rules,
      },
    },
  }
}

function familyDiagnostics(
  claims: Claims,
  inspection: Inspection,
  reporting: readonly LoweredPort[],
): readonly Diagnostic[] {
  return [
    ...addressConflicts(claims),
    ...inspection.diagnostics,
    ...reporting.flatMap(({ record }) => record.conflicts),
    ...reporting.flatMap(({ limitations }) => limitations),
  ]
}

/** Every service port: all go and all come that stay or are new. For changes of what every part depends on. */
function allPorts({ ports }: FamilySession, { removed, added }: PortChanges): PortChanges {
  const gone = new Set(removed)
  const all = itemsOf(ports).map(({ record }) => record)
  return { removed: all, added: [...all.filter((record) => !gone.has(record)), ...added] }
}

/** What the mode makes of a service port; what it comes to on another node where that is the same. */
export function lowerPort(
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
  const part = mode.lowerService(record.plan, lowering, other?.part)
  const found = mode.limitationsOf(record.plan, lowering)
  const limitations = found.length === 0 ? NONE : found.map((each) => modeLimitation(record.plan, family, each))
  return { record, part, limitations }
}

const NONE: readonly Diagnostic[] = []

function unlowered(record: PortRecord): { readonly record: PortRecord } {
  return { record }
}

export function byRecord(a: { readonly record: PortRecord }, b: { readonly record: PortRecord }): number {
  return byPortId(a.record, b.record)
}

function hasSomethingToReport({ record, limitations }: LoweredPort): boolean {
  return record.conflicts.length + limitations.length > 0
}

function endpointsOf(ports: readonly PortRecord[]): number {
  return ports.reduce((total, { plan }) => total + plan.endpointCount, 0)
}

function claimsOf(ports: readonly PortRecord[]): readonly AddressClaim[] {
  return collect(ports, ({ claims }) => claims)
}
