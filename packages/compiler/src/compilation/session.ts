import { type Diagnostic, IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { type ChunkedList, EMPTY_LIST, itemsOf } from '../internal/chunked-list.js'
import { mapList } from '../internal/map-list.js'
import { findSorted, replaceSorted } from '../internal/sorted-list.js'
import { changesBetween, isUnchanged, NO_OBJECTS, type ObjectLists } from '../reading/object-changes.js'
import {
  type ClusterObjects,
  EMPTY_CLUSTER,
  isEmptyGroup,
  looseDiagnostics,
  regroup,
  type ServiceGroup,
} from '../services/group-objects.js'
import type { HealthCheckNodePort } from '../services/health-checks.js'
import { modeOf } from '../targets/mode-of.js'
import { collect } from './collect.js'
import type { CompileContext, ContextWithOrigin } from './compile-context.js'
import { emptyFamily, type FamilySession, stepFamily } from './family-session.js'
import { byGroupKey, type PortRecord, type ServiceRecord, serviceRecords } from './service-record.js'

/** What is known of a cluster on one node after some objects have come and gone. It is never changed. */
export interface Session extends SessionResult, ContextWithOrigin {
  readonly lists: ObjectLists
  readonly objects: ClusterObjects
  /** In code-unit order of the Services' `namespace/name`. */
  readonly records: ChunkedList<ServiceRecord>
  /** Those of the records that have something to report, or a health-check port: a few of many. */
  readonly reporting: ChunkedList<ServiceRecord>
  readonly families: readonly FamilySession[]
}

/** That of a session of which a result is made. */
export interface SessionResult {
  readonly context: CompileContext
  /** What there is to say of objects. */
  readonly diagnostics: readonly Diagnostic[]
  readonly families: readonly Pick<FamilySession, 'diagnostics' | 'result'>[]
}

/** A session without objects. `resumed` is one of the same node before everything had to be computed anew. */
export function emptySession({ context, origin }: ContextWithOrigin, resumed?: Session): Session {
  const before = resumed?.context.mode === context.mode ? resumed.families : []
  const families = context.families.map((node) => {
    const found = before.find(({ result }) => result.family === node.family)
    return emptyFamily(modeOf(context.mode), node, found)
  })
  const nothing = { lists: NO_OBJECTS, objects: EMPTY_CLUSTER, records: EMPTY_LIST, reporting: EMPTY_LIST }
  return { context, origin, ...nothing, diagnostics: [], families }
}

/** How the objects of a cluster have changed, whatever the node. */
export interface ClusterChange {
  readonly lists: ObjectLists
  readonly objects: ClusterObjects
  /** Those that have changed, as they are now; one without objects is gone. */
  readonly groups: readonly ServiceGroup[]
}

/**
 * The session after the objects have become these, at the cost of what changed. From nothing it is a step from the empty
 * session. The objects' order only matters where several have one name.
 */
export function step(before: Session, lists: ObjectLists): Session {
  const change = clusterChange(before, lists)
  return change === undefined ? before : advance(before, change)
}

/** What has changed since; undefined where these are the same objects. */
export function clusterChange(before: Session, lists: ObjectLists): ClusterChange | undefined {
  const changes = changesBetween(before.lists, lists)
  if (isUnchanged(changes)) return undefined
  return { lists, ...regroup(before.objects, changes, (key) => groupAt(before, key), before.context.features) }
}

/**
 * The session after a change. `like` is the session of another node after it: what the two nodes make no difference to is
 * taken from there.
 */
export function advance(before: Session, { lists, objects, groups }: ClusterChange, like?: Session): Session {
  const { context, origin } = before
  const recordOf = serviceRecords(context)
  const removed = groups.flatMap(({ key }) => recordAt(before, key) ?? [])
  const added = mapList(
    groups.filter((group) => !isEmptyGroup(group)),
    (group) => recordOf(group, recordAt(before, group.key), like && recordAt(like, group.key)),
  )
  const reporting = replaceReporting(before.reporting, removed, added)
  const reports = itemsOf(reporting)
  const families = before.families.map((family, index) => {
    const name = family.result.family
    const ports = portChanges(portsOf(removed, name), portsOf(added, name))
    return stepFamily(family, ports, healthChecksOf(reports, name), like?.families[index])
  })
  const records = replaceSorted(before.records, removed, added, byGroupKey)
  const diagnostics = [...looseDiagnostics(objects), ...reports.flatMap((record) => record.diagnostics)]
  return { context, origin, lists, objects, records, reporting, diagnostics, families }
}

/** Those of the records that have something to report, after some of all records have been replaced. */
export function replaceReporting(
  reporting: ChunkedList<ServiceRecord>,
  removed: readonly ServiceRecord[],
  added: readonly ServiceRecord[],
): ChunkedList<ServiceRecord> {
  const [gone, come] = [removed.filter(hasSomethingToReport), added.filter(hasSomethingToReport)]
  return replaceSorted(reporting, gone, come, byGroupKey)
}

/** Everything there is to say: of configuration and node, of objects, and of what they come to together. */
export function diagnosticsOf({ context, diagnostics, families }: SessionResult): readonly Diagnostic[] {
  return [...context.diagnostics, ...diagnostics, ...eachOnce(families.flatMap((family) => family.diagnostics()))]
}

export function recordAt({ records }: Session, key: string): ServiceRecord | undefined {
  return findSorted(records, ({ group }) => (group.key < key ? -1 : group.key > key ? 1 : 0))
}

function groupAt(session: Session, key: string): ServiceGroup | undefined {
  return recordAt(session, key)?.group
}

function hasSomethingToReport({ diagnostics, families }: ServiceRecord): boolean {
  return diagnostics.length > 0 || IP_FAMILIES.some((family) => families[family]?.healthCheck !== undefined)
}

/** Both families say the same of a node port. */
function eachOnce(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  if (diagnostics.length < 2) return diagnostics
  return [...new Map(diagnostics.map((diagnostic) => [JSON.stringify(diagnostic), diagnostic])).values()]
}

function portsOf(records: readonly ServiceRecord[], family: IpFamily): readonly PortRecord[] {
  return collect(records, (record) => record.families[family]?.ports ?? [])
}

/** Ports that are in both lists stay where they are. */
function portChanges(before: readonly PortRecord[], after: readonly PortRecord[]) {
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
