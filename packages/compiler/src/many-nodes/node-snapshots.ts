import type { CompileContext, ContextWithOrigin } from '../compilation/context.js'
import { type FamilySnapshot, type LowerPort, lowerPort, updateFamilies } from '../compilation/families.js'
import {
  byPortId,
  type CreateRecord,
  changedRecords,
  recordAt,
  recordMaker,
  replaceRecords,
} from '../compilation/records.js'
import { changedObjects, type ObjectsChange, type Snapshot, snapshotFor } from '../compilation/snapshot.js'
import { itemsOf } from '../internal/chunked-list.js'
import { lazily } from '../internal/memo.js'
import { findSorted } from '../internal/sorted-list.js'
import type { NodeOfFamily } from '../model/node/resolve-node.js'
import type { ClusterObjects } from '../model/services/group-objects.js'
import { sameValue } from '../patch/resource.js'
import { type Cluster, contextOfNode } from './cluster.js'
import {
  dependenciesOfNode,
  type NodeDependencies,
  nodeDependencies,
  tiedGroups,
  ZONE_HINTS,
} from './node-dependencies.js'
import { shareRecord } from './share-record.js'

/** Returns the snapshot of a node; `previous` is an earlier one of the same node. */
export type NodeSnapshots = (nodeName: string, previous: Snapshot | undefined) => Snapshot

/**
 * Creates the function that returns the snapshots of the nodes of a cluster. It derives the snapshot of each further
 * node from an earlier one, preferably of the same zone. `start` is a snapshot of any node, from which it derives the
 * first one.
 */
export function createNodeSnapshots(cluster: Cluster, start: Snapshot | undefined): NodeSnapshots {
  const changes = new Map<ClusterObjects, ObjectsChange | undefined>()
  /** The changes are equal for all nodes with the same objects. */
  const changeOf = (snapshot: Snapshot) => {
    const { objects } = snapshot
    if (!changes.has(objects)) changes.set(objects, changedObjects(snapshot, cluster.lists))
    return changes.get(objects)
  }
  /** One snapshot per zone and kind of settings. */
  const models: Snapshot[] = []
  const dependencies = lazily(() =>
    nodeDependencies(
      models
        .slice(0, 1)
        .flatMap(({ records }) => itemsOf(records.all))
        .map(({ group }) => group),
    ),
  )

  const add = (snapshot: Snapshot): Snapshot => {
    if (!models.some(({ context }) => isAlike(context, snapshot.context))) models.push(snapshot)
    return snapshot
  }
  const updated = (previous: Snapshot, other: Snapshot | undefined): Snapshot => {
    const change = changeOf(previous)
    return change === undefined
      ? previous
      : update(previous, change, other?.objects === change.objects ? other : undefined)
  }
  const begin = () => {
    if (models.length > 0 || start === undefined) return
    const previous = snapshotFor(contextOfNode(cluster, start.context.nodeName, start), start)
    if (previous.families === start.families) add(updated(previous, undefined))
  }
  return (nodeName, previous) => {
    begin()
    const found = contextOfNode(cluster, nodeName, previous)
    const other = models.find(({ context }) => isAlike(context, found.context)) ?? models[0]
    const own = snapshotFor(found, previous)
    const isKnown = previous !== undefined && own.families === previous.families
    return add(isKnown || other === undefined ? updated(own, other) : snapshotOnNode(other, found, dependencies()))
  }
}

/** Applies a change to a snapshot. Parts that are equal on another node after that change are taken from there. */
function update(previous: Snapshot, { lists, objects, groups }: ObjectsChange, other: Snapshot | undefined): Snapshot {
  const { context, origin } = previous
  const make = recordMaker(context)
  const changes = changedRecords(previous.records, groups, other === undefined ? make : sharingRecords(make, other))
  const records = replaceRecords(previous.records, changes)
  const lower = other === undefined ? lowerPort : sharingPorts(other)
  const families = updateFamilies(previous.families, context.families, changes, records, lower)
  const shared = other === undefined ? families : sharingClaims(families, other)
  return { context, origin, lists, objects, records, families: shared }
}

/** Returns the snapshot of a node, based on the snapshot of another one. Only Services that depend on one of the two nodes are read. */
function snapshotOnNode(
  other: Snapshot,
  { context, origin }: ContextWithOrigin,
  dependencies: NodeDependencies,
): Snapshot {
  const { lists, objects } = other
  const groups = differingGroups(other, context, dependencies).flatMap(
    (key) => recordAt(other.records, key)?.group ?? [],
  )
  const make = sharingRecords(recordMaker(context), other)
  const changes = changedRecords(other.records, groups, (group) => make(group))
  const records = replaceRecords(other.records, changes)
  const families = sharingClaims(updateFamilies(other.families, context.families, changes, records), other)
  return { context, origin, lists, objects, records, families }
}

/** Returns the keys of the groups that may have different results on the two nodes. */
function differingGroups(other: Snapshot, context: CompileContext, dependencies: NodeDependencies): readonly string[] {
  if (!isEquallySet(other.context, context)) return itemsOf(other.records.all).map(({ group }) => group.key)
  const zones = isOfOneZone(other.context, context) ? [] : [ZONE_HINTS]
  return tiedGroups(dependencies, [
    ...dependenciesOfNode(other.context.families, dependencies),
    ...dependenciesOfNode(context.families, dependencies),
    ...zones,
  ])
}

function sharingRecords(make: CreateRecord, other: Snapshot): CreateRecord {
  return (group, previous) => {
    const record = make(group, previous)
    const otherRecord = recordAt(other.records, group.key)
    return otherRecord === undefined ? record : shareRecord(record, otherRecord)
  }
}

/**
 * Returns a function that lowers service ports. It reuses the result of the other node for an equal plan if the
 * lowering contexts of both nodes are equal.
 */
function sharingPorts(other: Snapshot): LowerPort {
  return (record, family) => {
    const known = other.families.find(({ result }) => result.family === family.family)
    const port = known && findSorted(known.ports, (each) => byPortId(each.record, record))
    const isSame = port?.record === record && sameValue(known?.lowering, family.lowering)
    return isSame ? port : lowerPort(record, family)
  }
}

/** Reuses the claims of the other node, because addresses of a Service do not depend on the node. */
function sharingClaims(families: readonly FamilySnapshot[], other: Snapshot): readonly FamilySnapshot[] {
  return families.map((family, index) => {
    const claims = other.families[index]?.claims ?? family.claims
    return claims === family.claims ? family : { ...family, claims }
  })
}

function isAlike(one: CompileContext, other: CompileContext): boolean {
  return isOfOneZone(one, other) && isEquallySet(one, other)
}

/** Reports whether all service ports depend on equal facts of two nodes, apart from their zones. */
function isEquallySet({ families }: CompileContext, { families: others }: CompileContext): boolean {
  const tellsPods = ({ node }: NodeOfFamily) => node.localTrafficDetection !== undefined
  return families.every((each, index) => {
    const other = others[index]
    return other !== undefined && tellsPods(each) === tellsPods(other) && sameValue(each.settings, other.settings)
  })
}

function isOfOneZone({ families }: CompileContext, { families: others }: CompileContext): boolean {
  return families.every(({ node }, index) => node.zone === others[index]?.node.zone)
}
