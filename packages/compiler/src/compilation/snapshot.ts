import type { Diagnostic } from '@kube-rules/types'
import { copyUnlessSame } from '../internal/list-changes.js'
import { createLazyGetter } from '../internal/memo.js'
import { isDeepEqual } from '../internal/plain-data.js'
import { diffObjectLists, hasNoObjectChanges, NO_OBJECTS, type ObjectLists } from '../model/reading/object-changes.js'
import { itemsOfArgument } from '../model/reading/object-list.js'
import { readArgument } from '../model/reading/read-safely.js'
import {
  type ClusterObjects,
  EMPTY_CLUSTER,
  regroupObjects,
  reportUngroupedObjects,
  type ServiceGroup,
} from '../model/services/group-objects.js'
import type { FamilySnapshot } from './assemble-family.js'
import { type CachedServices, findCachedService, NO_CACHED_SERVICES } from './cached-services.js'
import type { CompileInput, CompileResult, ResultCounts } from './compile-result.js'
import type { ContextWithInputs } from './context.js'
import { createEmptyFamilySnapshot } from './family-snapshots.js'
import { MODE_LOWERINGS } from './mode-lowerings.js'

/** The compiled rules of one node, with the data that the next compilation needs. Immutable. */
export interface NodeSnapshot extends ContextWithInputs {
  readonly lists: ObjectLists
  readonly objects: ClusterObjects
  readonly cachedServices: CachedServices
  readonly families: readonly FamilySnapshot[]
}

/** The changes of the objects of a cluster. */
export interface ClusterChange {
  readonly lists: ObjectLists
  readonly objects: ClusterObjects
  /** The changed groups of objects, as they are after the change. If a group has no objects, its Service is removed. */
  readonly groups: readonly ServiceGroup[]
}

/** Returns the previous snapshot if its context is equal. Otherwise, returns a snapshot without objects. */
export function reuseOrCreateSnapshot(inputs: ContextWithInputs, previous: NodeSnapshot | undefined): NodeSnapshot {
  if (previous === undefined || !isDeepEqual(previous.context, inputs.context)) return emptySnapshot(inputs, previous)
  return previous.origin === inputs.origin ? previous : { ...previous, origin: inputs.origin }
}

/** Returns a snapshot without objects. If everything must be recompiled, `previous` is the last snapshot of the node. */
function emptySnapshot({ context, origin }: ContextWithInputs, previous?: NodeSnapshot): NodeSnapshot {
  const before = previous?.context.mode === context.mode ? previous.families : []
  const families = context.families.map((node) => {
    const family = before.find(({ result }) => result.family === node.family)
    return createEmptyFamilySnapshot(MODE_LOWERINGS[context.mode], node, family)
  })
  return { context, origin, lists: NO_OBJECTS, objects: EMPTY_CLUSTER, cachedServices: NO_CACHED_SERVICES, families }
}

/** Returns the object lists of an input. Reuses a previous list if the list has identical objects. */
export function readObjectLists(input: CompileInput, previous: ObjectLists): ObjectLists {
  const { services, endpointSlices, endpoints } = readArgument('input', () => ({ ...input }))
  return {
    services: listOf(itemsOfArgument('services', 'Service', services), previous.services),
    endpointSlices: listOf(
      itemsOfArgument('endpointSlices', 'EndpointSlice', endpointSlices ?? []),
      previous.endpointSlices,
    ),
    endpoints: listOf(itemsOfArgument('endpoints', 'Endpoints', endpoints ?? []), previous.endpoints),
  }
}

/**
 * Copies a list, or returns the previous list if it has identical objects. Informers preserve the position and identity
 * of objects, so an unchanged object costs only one comparison.
 */
function listOf<T>(items: Iterable<T>, previous: readonly T[]): readonly T[] {
  return copyUnlessSame(previous, Array.isArray(items) ? items : Array.from(items))
}

/**
 * Returns the changed objects and their groups. Returns undefined if all objects are identical. The order of objects
 * matters only if several objects have the same name.
 */
export function findClusterChange(previous: NodeSnapshot, lists: ObjectLists): ClusterChange | undefined {
  const changes = diffObjectLists(previous.lists, lists)
  if (hasNoObjectChanges(changes)) return undefined
  const groupAt = (key: string) => findCachedService(previous.cachedServices, key)?.group
  return { lists, ...regroupObjects(previous.objects, changes, groupAt, previous.context.features) }
}

const snapshots = new WeakMap<CompileResult, NodeSnapshot>()

/** Returns the result of a snapshot, and stores the snapshot for the next compile. */
export function toCompileResult(snapshot: NodeSnapshot): CompileResult {
  const { context, families } = snapshot
  const diagnostics = createLazyGetter(() => diagnosticsOf(snapshot))
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

/** Returns the snapshot of a result. Returns undefined if `compile` did not create the result. */
export function snapshotOf(result: CompileResult): NodeSnapshot | undefined {
  return snapshots.get(result)
}

/** Returns the diagnostics of the configuration and the node, then of the objects, then of each family. */
function diagnosticsOf({ context, objects, cachedServices, families }: NodeSnapshot): readonly Diagnostic[] {
  return [
    ...context.diagnostics,
    ...reportUngroupedObjects(objects),
    ...cachedServices.reporting.flatMap(({ diagnostics }) => diagnostics),
    ...eachOnce(families.flatMap((family) => family.diagnostics())),
  ]
}

/** Removes duplicate diagnostics, because both families report the same problem of a node port. */
function eachOnce(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  if (diagnostics.length < 2) return diagnostics
  return [...new Map(diagnostics.map((diagnostic) => [JSON.stringify(diagnostic), diagnostic])).values()]
}

function sumOf(counts: readonly ResultCounts[]): ResultCounts {
  let [servicePorts, endpoints, chains, rules] = [0, 0, 0, 0]
  for (const each of counts) {
    servicePorts += each.servicePorts
    endpoints += each.endpoints
    chains += each.chains
    rules += each.rules
  }
  return { servicePorts, endpoints, chains, rules }
}
