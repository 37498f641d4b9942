import type { Diagnostic } from '@kube-rules/types'
import { type ChunkedList, itemsOf, listLike } from '../internal/chunked-list.js'
import { lazily } from '../internal/memo.js'
import { changesBetween, isUnchanged, NO_OBJECTS, type ObjectLists } from '../model/reading/object-changes.js'
import { sourceObjectsOf } from '../model/reading/object-list.js'
import { readArgument } from '../model/reading/read-safely.js'
import {
  type ClusterObjects,
  EMPTY_CLUSTER,
  looseDiagnostics,
  regroup,
  type ServiceGroup,
} from '../model/services/group-objects.js'
import { sameValue } from '../patch/resource.js'
import type { CompileInput, CompileResult, Counts } from './compile-result.js'
import type { ContextWithOrigin } from './context.js'
import { emptyFamily, type FamilySnapshot } from './families.js'
import { LOWERINGS } from './lowerings.js'
import { NO_RECORDS, recordAt, type ServiceRecords } from './records.js'

/** The compiled rules of one node, with the data for the next compile. Immutable. */
export interface Snapshot extends ContextWithOrigin {
  readonly lists: ObjectLists
  readonly objects: ClusterObjects
  readonly records: ServiceRecords
  readonly families: readonly FamilySnapshot[]
}

/** The changed objects of a cluster. */
export interface ObjectsChange {
  readonly lists: ObjectLists
  readonly objects: ClusterObjects
  /** The changed groups in their new form; a group without objects is removed. */
  readonly groups: readonly ServiceGroup[]
}

/** Returns the previous snapshot if its context is equal, else a snapshot without objects. */
export function snapshotFor(found: ContextWithOrigin, previous: Snapshot | undefined): Snapshot {
  if (previous === undefined || !sameValue(previous.context, found.context)) return emptySnapshot(found, previous)
  return previous.origin === found.origin ? previous : { ...previous, origin: found.origin }
}

/** Returns a snapshot without objects. `previous` is a snapshot of the same node before a full recompilation. */
function emptySnapshot({ context, origin }: ContextWithOrigin, previous?: Snapshot): Snapshot {
  const before = previous?.context.mode === context.mode ? previous.families : []
  const families = context.families.map((node) => {
    const family = before.find(({ result }) => result.family === node.family)
    return emptyFamily(LOWERINGS[context.mode], node, family)
  })
  return { context, origin, lists: NO_OBJECTS, objects: EMPTY_CLUSTER, records: NO_RECORDS, families }
}

/** Returns the lists of objects of an input; reuses the previous list if it has the identical objects. */
export function objectLists(input: CompileInput, previous: ObjectLists): ObjectLists {
  const { services, endpointSlices, endpoints } = readArgument('input', () => ({ ...input }))
  return {
    services: listOf(sourceObjectsOf('services', 'Service', services), previous.services),
    endpointSlices: listOf(
      sourceObjectsOf('endpointSlices', 'EndpointSlice', endpointSlices ?? []),
      previous.endpointSlices,
    ),
    endpoints: listOf(sourceObjectsOf('endpoints', 'Endpoints', endpoints ?? []), previous.endpoints),
  }
}

/**
 * Builds a list. An object at the same position in both lists costs one comparison; informers preserve position and
 * identity.
 */
function listOf<T>(items: Iterable<T>, previous: ChunkedList<T>): ChunkedList<T> {
  return listLike(previous, Array.isArray(items) ? items : Array.from(items))
}

/**
 * Returns the changed objects and their groups; undefined if all objects are identical. Their order only matters if
 * several have the same name.
 */
export function changedObjects(previous: Snapshot, lists: ObjectLists): ObjectsChange | undefined {
  const changes = changesBetween(previous.lists, lists)
  if (isUnchanged(changes)) return undefined
  const groupAt = (key: string) => recordAt(previous.records, key)?.group
  return { lists, ...regroup(previous.objects, changes, groupAt, previous.context.features) }
}

const snapshots = new WeakMap<CompileResult, Snapshot>()

/** Returns the result of a snapshot, and stores the snapshot for the next compile. */
export function resultOf(snapshot: Snapshot): CompileResult {
  const { context, families } = snapshot
  const diagnostics = lazily(() => diagnosticsOf(snapshot))
  const result: CompileResult = {
    mode: context.mode,
    kubernetesVersion: context.kubernetesVersion,
    families: families.map((family) => family.result),
    get diagnostics() {
      return diagnostics()
    },
    counts: sumOf(families.map((family) => family.result.counts)),
  }
  snapshots.set(result, snapshot)
  return result
}

/** Returns the snapshot of a result; undefined if `compile` did not create the result. */
export function snapshotOf(result: CompileResult): Snapshot | undefined {
  return snapshots.get(result)
}

/** Returns the diagnostics of configuration and node, then of objects, then of their combination. */
function diagnosticsOf({ context, objects, records, families }: Snapshot): readonly Diagnostic[] {
  return [
    ...context.diagnostics,
    ...looseDiagnostics(objects),
    ...itemsOf(records.reporting).flatMap((record) => record.diagnostics),
    ...eachOnce(families.flatMap((family) => family.diagnostics())),
  ]
}

/** Removes duplicates; both families report the same about a node port. */
function eachOnce(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  if (diagnostics.length < 2) return diagnostics
  return [...new Map(diagnostics.map((diagnostic) => [JSON.stringify(diagnostic), diagnostic])).values()]
}

function sumOf(counts: readonly Counts[]): Counts {
  let [servicePorts, endpoints, chains, rules] = [0, 0, 0, 0]
  for (const each of counts) {
    servicePorts += each.servicePorts
    endpoints += each.endpoints
    chains += each.chains
    rules += each.rules
  }
  return { servicePorts, endpoints, chains, rules }
}
