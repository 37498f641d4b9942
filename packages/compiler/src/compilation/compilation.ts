import { type Diagnostic, IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { sameValue } from '../diff/resource.js'
import { replaceSorted } from '../internal/sorted-list.js'
import { objectsOf } from '../reading/object-list.js'
import { groupObjects } from '../services/group-objects.js'
import type { HealthCheckNodePort } from '../services/health-checks.js'
import { modeOf } from '../targets/mode-of.js'
import { collect } from './collect.js'
import type { CompileContext } from './compile-context.js'
import { compileFamily, compileFamilyChanges, type FamilyCompilation } from './compile-family.js'
import type { CompileInput } from './compile-result.js'
import {
  changesBetween,
  isSameList,
  isSameOrder,
  isUnchanged,
  type ObjectChanges,
  type ObjectLists,
} from './object-changes.js'
import { isEmptyGroup, type ObjectIndex, objectIndex, regroup } from './object-index.js'
import { byGroupKey, byPortId, type PortRecord, type ServiceRecord, serviceRecords } from './service-record.js'

/** A finished compile with all that a later one can take from it. */
export interface Compilation {
  readonly context: CompileContext
  readonly lists: ObjectLists
  /** In code-unit order of the Services' `namespace/name`. */
  readonly records: readonly ServiceRecord[]
  /** Those of the records that have something to report, or a health-check port: a few of many. */
  readonly reporting: readonly ServiceRecord[]
  readonly families: readonly FamilyCompilation[]
  /** What there is to say of objects that belong to no Service, or are given twice. */
  readonly otherDiagnostics: readonly Diagnostic[]
  /** Goes on to the next compilation; absent where none has asked for it, and where it has gone. */
  index?: ObjectIndex | undefined
}

/**
 * The objects of an input, in lists of our own; a list with the identical objects as one of `before` is that one. Throws
 * DiagnosticsError for what is no list.
 */
export function objectLists({ services, endpointSlices, endpoints }: CompileInput, before?: ObjectLists): ObjectLists {
  return {
    services: listOf(objectsOf('services', 'Service', services), before?.services),
    endpointSlices: listOf(objectsOf('endpointSlices', 'EndpointSlice', endpointSlices ?? []), before?.endpointSlices),
    endpoints: listOf(objectsOf('endpoints', 'Endpoints', endpoints ?? []), before?.endpoints),
  }
}

/** Lists are copied as a whole, which is much quicker than item by item. */
function listOf<T>(items: Iterable<T>, before: readonly T[] | undefined): readonly T[] {
  const list: readonly T[] = Array.isArray(items) ? items : Array.from(items)
  if (before !== undefined && isSameList(before, list)) return before
  return list === items ? list.slice() : list
}

/**
 * Compiles everything from the objects. What comes out equal to what `previous`, of an equal context, has is taken from
 * there.
 */
export function compileAll(lists: ObjectLists, context: CompileContext, previous?: Compilation): Compilation {
  const grouped = groupObjects(lists, context.features)
  const known = new Map(previous?.records.map((record) => [record.group.key, record]))
  const recordOf = serviceRecords(context)
  const records = grouped.groups.map((group) => recordOf(group, known.get(group.key)))
  const reporting = records.filter(hasSomethingToReport)
  const families = context.families.map((node, place) => {
    const ports = [...portsOf(records, node.family)].sort(byPortId)
    const healthChecks = healthChecksOf(reporting, node.family)
    return compileFamily(modeOf(context.mode), node, ports, healthChecks, previous?.families[place])
  })
  return { context, lists, records, reporting, families, otherDiagnostics: grouped.diagnostics }
}

/**
 * Compiles what is not the same as before, and takes the rest from there: nothing where the context is another, all of it
 * where no object is. Their order only matters where something is wrong with them: of two with one name the last counts.
 */
export function compileChanges(previous: Compilation, lists: ObjectLists, context: CompileContext): Compilation {
  if (!sameValue(previous.context, context)) return compileAll(lists, context)
  const changes = changesBetween(previous.lists, lists)
  const inAnyOrder = previous.otherDiagnostics.length === 0
  if (isUnchanged(changes) && (inAnyOrder || isSameOrder(previous.lists, lists))) return previous
  return applyChanges(previous, lists, changes) ?? compileAll(lists, context, previous)
}

/** Undefined where only all objects together tell what counts. */
function applyChanges(previous: Compilation, lists: ObjectLists, changes: ObjectChanges): Compilation | undefined {
  if (previous.otherDiagnostics.length > 0) return undefined
  const { context } = previous
  const index = previous.index ?? objectIndex(previous.records, previous.lists.endpointSlices)
  previous.index = undefined
  const groups = regroup(index, changes, context.features)
  if (groups === undefined) return undefined
  const recordOf = serviceRecords(context)
  const removedRecords = Array.from(groups.keys()).flatMap((key) => index.records.get(key) ?? [])
  const addedRecords = Array.from(groups.values())
    .filter((group) => !isEmptyGroup(group))
    .map((group) => recordOf(group, index.records.get(group.key)))
  for (const { group } of removedRecords) index.records.delete(group.key)
  for (const record of addedRecords) index.records.set(record.group.key, record)
  const records = replaceSorted(previous.records, removedRecords, addedRecords, byGroupKey)
  const reporting = replaceSorted(
    previous.reporting,
    removedRecords.filter(hasSomethingToReport),
    addedRecords.filter(hasSomethingToReport),
    byGroupKey,
  )
  const families = context.families.map((node, place) => {
    const before = previous.families[place] as FamilyCompilation
    const { removed, added } = portChanges(portsOf(removedRecords, node.family), portsOf(addedRecords, node.family))
    const healthChecks = healthChecksOf(reporting, node.family)
    const isSame = removed.length + added.length === 0 && sameValue(healthChecks, before.result.healthCheckNodePorts)
    return isSame ? before : compileFamilyChanges(modeOf(context.mode), node, { removed, added }, healthChecks, before)
  })
  return { context, lists, records, reporting, families, otherDiagnostics: [], index }
}

/** Everything there is to say: of configuration and node, of objects, and of what they come to together. */
export function diagnosticsOf(compilation: Compilation): readonly Diagnostic[] {
  const { context, otherDiagnostics, reporting, families } = compilation
  return [
    ...context.diagnostics,
    ...otherDiagnostics,
    ...reporting.flatMap(({ diagnostics }) => diagnostics),
    ...eachOnce(families.flatMap(({ diagnostics }) => diagnostics)),
  ]
}

function hasSomethingToReport({ diagnostics, families }: ServiceRecord): boolean {
  return diagnostics.length > 0 || IP_FAMILIES.some((family) => families[family]?.healthCheck !== undefined)
}

/** Both families say the same of a node port. */
function eachOnce(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...new Map(diagnostics.map((diagnostic) => [JSON.stringify(diagnostic), diagnostic])).values()]
}

function portsOf(records: readonly ServiceRecord[], family: IpFamily): readonly PortRecord[] {
  return collect(records, (record) => record.families[family]?.ports ?? [])
}

/** Ports that are in both lists stay where they are. */
function portChanges<Port>(
  before: readonly Port[],
  after: readonly Port[],
): { readonly removed: readonly Port[]; readonly added: readonly Port[] } {
  const [old, fresh] = [new Set(before), new Set(after)]
  return { removed: before.filter((port) => !fresh.has(port)), added: after.filter((port) => !old.has(port)) }
}

function healthChecksOf(records: readonly ServiceRecord[], family: IpFamily): readonly HealthCheckNodePort[] {
  const found: HealthCheckNodePort[] = []
  for (const { families } of records) {
    const healthCheck = families[family]?.healthCheck
    if (healthCheck !== undefined) found.push(healthCheck)
  }
  return found
}
