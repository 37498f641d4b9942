import type { FamilySnapshot } from '../compilation/assemble-family.js'
import {
  type CachedServiceFactory,
  compareCachedServicePorts,
  computeCachedServiceChanges,
  createCachedServiceFactory,
  findCachedService,
  replaceCachedServices,
} from '../compilation/cached-services.js'
import type { CompileContext, ContextWithInputs } from '../compilation/context.js'
import { refreshFamilySnapshot, updateFamilySnapshots } from '../compilation/family-snapshots.js'
import { lowerServicePort, type ServicePortLowering } from '../compilation/lowered-service-port.js'
import {
  type ClusterChange,
  findClusterChange,
  type NodeSnapshot,
  reuseOrCreateSnapshot,
} from '../compilation/snapshot.js'
import { createLazyGetter } from '../internal/memo.js'
import { isDeepEqual } from '../internal/plain-data.js'
import { findSortedItem } from '../internal/sorted-list.js'
import type { FamilyNodeContext } from '../model/node/resolve-node.js'
import type { ClusterObjects } from '../model/services/group-objects.js'
import { type ClusterInputs, reuseOrCreateContext } from './cluster-inputs.js'
import {
  dependenciesOfNode,
  findDependentGroups,
  findNodeDependencies,
  type NodeDependencies,
  ZONE_HINTS_DEPENDENCY,
} from './node-dependencies.js'
import { reuseEqualServiceData } from './reuse-equal-service-data.js'

/** Returns the snapshot of a node. `previous` is an earlier snapshot of the same node. */
export type NodeSnapshotGetter = (nodeName: string, previous: NodeSnapshot | undefined) => NodeSnapshot

/**
 * Creates the function that returns the snapshots of the nodes of a cluster. `start` is a snapshot of any node, and the
 * first snapshot is derived from it. Each later snapshot is derived from an earlier snapshot of another node,
 * preferably in the same zone.
 */
export function createNodeSnapshotGetter(cluster: ClusterInputs, start: NodeSnapshot | undefined): NodeSnapshotGetter {
  const changes = new Map<ClusterObjects, ClusterChange | undefined>()
  /** Returns the cluster change since a snapshot, computed once for all nodes with the same objects. */
  const changeOf = (snapshot: NodeSnapshot) => {
    const { objects } = snapshot
    if (!changes.has(objects)) changes.set(objects, findClusterChange(snapshot, cluster.lists))
    return changes.get(objects)
  }
  /** One snapshot for each distinct combination of zone and node settings, as a base for other nodes. */
  const models: NodeSnapshot[] = []
  const dependencies = createLazyGetter(() =>
    findNodeDependencies(
      models
        .slice(0, 1)
        .flatMap(({ cachedServices }) => cachedServices.all)
        .map(({ group }) => group),
    ),
  )

  const add = (snapshot: NodeSnapshot): NodeSnapshot => {
    if (!models.some(({ context }) => isAlike(context, snapshot.context))) models.push(snapshot)
    return snapshot
  }
  const updated = (previous: NodeSnapshot, other: NodeSnapshot | undefined): NodeSnapshot => {
    const change = changeOf(previous)
    return change === undefined
      ? previous
      : update(previous, change, other?.objects === change.objects ? other : undefined)
  }
  const begin = () => {
    if (models.length > 0 || start === undefined) return
    const previous = reuseOrCreateSnapshot(reuseOrCreateContext(cluster, start.context.nodeName, start), start)
    if (previous.families === start.families) add(updated(previous, undefined))
  }
  return (nodeName, previous) => {
    begin()
    const inputs = reuseOrCreateContext(cluster, nodeName, previous)
    const other = models.find(({ context }) => isAlike(context, inputs.context)) ?? models[0]
    const own = reuseOrCreateSnapshot(inputs, previous)
    const isKnown = previous !== undefined && own.families === previous.families
    return add(isKnown || other === undefined ? updated(own, other) : snapshotOnNode(other, inputs, dependencies()))
  }
}

/**
 * Applies a change of the cluster to the snapshot of a node. Reuses equal parts of `other`, the changed snapshot of
 * another node.
 */
function update(
  previous: NodeSnapshot,
  { lists, objects, groups }: ClusterChange,
  other: NodeSnapshot | undefined,
): NodeSnapshot {
  const { context, origin } = previous
  const make = createCachedServiceFactory(context)
  const changes = computeCachedServiceChanges(
    previous.cachedServices,
    groups,
    other === undefined ? make : sharingRecords(make, other),
  )
  const cachedServices = replaceCachedServices(previous.cachedServices, changes)
  const lower = other === undefined ? lowerServicePort : sharingPorts(other)
  const updated = updateFamilySnapshots(previous.families, context.families, changes, cachedServices, lower)
  // A new node has no rules of an earlier cluster, and would otherwise get those of the node it is derived from.
  const families = updated.some(({ hasOldRules }) => hasOldRules) ? updated.map(refreshFamilySnapshot) : updated
  const shared = other === undefined ? families : sharingClaims(families, other)
  return { context, origin, lists, objects, cachedServices, families: shared }
}

/**
 * Returns the snapshot of a node, based on `other`, the snapshot of another node. Recomputes only the Services that
 * depend on one of the two nodes.
 */
function snapshotOnNode(
  other: NodeSnapshot,
  { context, origin }: ContextWithInputs,
  dependencies: NodeDependencies,
): NodeSnapshot {
  const { lists, objects } = other
  const groups = differingGroups(other, context, dependencies).flatMap(
    (key) => findCachedService(other.cachedServices, key)?.group ?? [],
  )
  const make = sharingRecords(createCachedServiceFactory(context), other)
  const changes = computeCachedServiceChanges(other.cachedServices, groups, (group) => make(group))
  const cachedServices = replaceCachedServices(other.cachedServices, changes)
  const families = sharingClaims(
    updateFamilySnapshots(other.families, context.families, changes, cachedServices),
    other,
  )
  return { context, origin, lists, objects, cachedServices, families }
}

/** Returns the keys of the Service groups with rules that may differ between the two nodes. */
function differingGroups(
  other: NodeSnapshot,
  context: CompileContext,
  dependencies: NodeDependencies,
): readonly string[] {
  if (!isEquallySet(other.context, context)) return other.cachedServices.all.map(({ group }) => group.key)
  const zones = isOfOneZone(other.context, context) ? [] : [ZONE_HINTS_DEPENDENCY]
  return findDependentGroups(dependencies, [
    ...dependenciesOfNode(other.context.families, dependencies),
    ...dependenciesOfNode(context.families, dependencies),
    ...zones,
  ])
}

function sharingRecords(make: CachedServiceFactory, other: NodeSnapshot): CachedServiceFactory {
  return (group, previous) => {
    const cached = make(group, previous)
    const otherRecord = findCachedService(other.cachedServices, group.key)
    return otherRecord === undefined ? cached : reuseEqualServiceData(cached, otherRecord)
  }
}

/**
 * Returns a function that lowers service ports. If the lowering contexts of both nodes are equal, the function reuses
 * the result of the other node for an identical service port.
 */
function sharingPorts(other: NodeSnapshot): ServicePortLowering {
  return (cached, family) => {
    const known = other.families.find(({ result }) => result.family === family.family)
    const port = known && findSortedItem(known.ports, (each) => compareCachedServicePorts(each.cached, cached))
    const isSame = port?.cached === cached && isDeepEqual(known?.lowering, family.lowering)
    return isSame ? port : lowerServicePort(cached, family)
  }
}

/** Reuses the address claims of the other node, because addresses of a Service do not depend on the node. */
function sharingClaims(families: readonly FamilySnapshot[], other: NodeSnapshot): readonly FamilySnapshot[] {
  return families.map((family, index) => {
    const claims = other.families[index]?.claims ?? family.claims
    return claims === family.claims ? family : { ...family, claims }
  })
}

function isAlike(one: CompileContext, other: CompileContext): boolean {
  return isOfOneZone(one, other) && isEquallySet(one, other)
}

/**
 * Reports whether two nodes have the same settings and both (or neither) have local traffic detection. Zones are not
 * compared.
 */
function isEquallySet({ families }: CompileContext, { families: others }: CompileContext): boolean {
  const tellsPods = ({ node }: FamilyNodeContext) => node.localTrafficDetection !== undefined
  return families.every((each, index) => {
    const other = others[index]
    return other !== undefined && tellsPods(each) === tellsPods(other) && isDeepEqual(each.settings, other.settings)
  })
}

function isOfOneZone({ families }: CompileContext, { families: others }: CompileContext): boolean {
  return families.every(({ node }, index) => node.zone === others[index]?.node.zone)
}
