import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { checkCompleteDump } from '../arguments/check-state.js'
import type { CompileResult } from '../compilation/compile-result.js'
import type { Dump } from '../dataplane/node-state.js'
import type { PriorKnowledgeBySubsystem } from '../dataplane/tool-options.js'
import { diff, diffStaleConnections, type FamilyPatch, type NodeResources, type ResultPatch } from '../diff/diff.js'
import { resourceIdOf } from '../patch/patch.js'
import { hasEverySubsystem, reconcile } from '../reconcile/reconcile.js'
import { isSharedChain } from '../targets/shared/kube-chains.js'
import {
  joinResources,
  joinStale,
  resourcesOfResult,
  resourcesRemovedBy,
  type StaleByFamily,
  staleOf,
} from './join-resources.js'

/** The known state of a node across updates. */
export interface TrackedNode {
  /** Returns the patch from the known state to this result. From then on, the node is assumed to have this result. */
  updateTo(result: CompileResult): NodeUpdate
  /** Reports whether the node certainly has a result. Otherwise the next update is a full one. */
  isKnown(): boolean
  /** Sets the state of the node from a dump. */
  resync(actual: Dump): void
  /** Marks the last update as not applied, or applied in part. */
  markFailed(): void
}

export interface NodeUpdate {
  readonly patch: ResultPatch
  readonly full: boolean
  readonly mayHaveLeftovers: boolean
}

/** The uncertainty about the state of a node. */
interface Caveat {
  /** Resources that the node may have, from earlier results. */
  readonly suspected: NodeResources
  /** Whether the node has no virtual servers other than the suspected virtual servers. */
  readonly hasOnlySuspected: boolean
  /** Stale connections of failed updates. Absent if stale connections are unknown. */
  readonly stale?: StaleByFamily | undefined
  /** The result that the last update should have applied. */
  readonly since?: CompileResult | undefined
}

const NOTHING_KNOWN: Caveat = { suspected: new Map(), hasOnlySuspected: false }

/** The last update, with the result before the update. The patch is not stored, because a full patch has all rules. */
interface LastUpdate {
  /** Whether all virtual servers on the node before the update were known or suspected. */
  readonly hadOnlySuspected: boolean
  readonly before: CompileResult | undefined
  readonly result: CompileResult
  /** The resources that the patch deletes. */
  readonly removed: NodeResources
  readonly stale: StaleByFamily
}

/** By family, the subsystems with possible leftovers after the last full patch. */
type LeftoversByFamily = ReadonlyMap<IpFamily, PriorKnowledgeBySubsystem>

/** The facts about a node. Each update, dump and failure replaces them. */
interface NodeKnowledge {
  /** A dump of the node that no update has outdated. */
  readonly dump?: Dump | undefined
  /** The result that is certainly applied to the node. */
  readonly applied?: CompileResult | undefined
  /** The uncertainty if no result is certainly applied. */
  readonly caveat: Caveat
  readonly leftovers: LeftoversByFamily
  /** Whether the last full update started from a dump without a subsystem, which may have rules of any mode. */
  readonly lacksSubsystem: boolean
  readonly last?: LastUpdate | undefined
}

export function trackNode(start?: Dump): TrackedNode {
  if (start !== undefined) checkCompleteDump('actual', start)
  let knowledge: NodeKnowledge = { dump: start, caveat: NOTHING_KNOWN, leftovers: new Map(), lacksSubsystem: false }
  return {
    updateTo: (result) => {
      const { update, next } = updateNode(doubtOtherFamilies(knowledge, result), result)
      knowledge = next
      return update
    },
    isKnown: () => knowledge.applied !== undefined,
    resync: (dump) => {
      checkCompleteDump('actual', dump)
      knowledge = afterDump(knowledge, dump)
    },
    markFailed: () => {
      knowledge = afterFailure(knowledge)
    },
  }
}

/** Returns knowledge with a caveat if the next result has another address family than the applied result. */
function doubtOtherFamilies(knowledge: NodeKnowledge, result: CompileResult): NodeKnowledge {
  const { applied, leftovers } = knowledge
  if (applied === undefined || !hasAnotherFamily(result, applied)) return knowledge
  const suspected = resourcesOfResult(applied)
  const caveat = { suspected, hasOnlySuspected: hasKnownServers(leftovers), stale: new Map(), since: applied }
  return { ...knowledge, applied: undefined, caveat }
}

/** Returns the patch to a result, and the knowledge about the node after the patch. */
function updateNode(
  knowledge: NodeKnowledge,
  result: CompileResult,
): { readonly update: NodeUpdate; readonly next: NodeKnowledge } {
  const { update, hadOnlySuspected, caveat, leftovers, lacksSubsystem } =
    knowledge.applied === undefined
      ? updateFully(knowledge, result)
      : updateApplied(knowledge.applied, knowledge, result)
  const before = knowledge.applied ?? knowledge.caveat.since
  const { patch } = update
  const last = { hadOnlySuspected, before, result, removed: resourcesRemovedBy(patch), stale: staleOf(patch) }
  return { update, next: { applied: result, caveat, leftovers, lacksSubsystem, last } }
}

/** An update with the knowledge after the update. */
interface KnownUpdate
  extends Pick<NodeKnowledge, 'caveat' | 'leftovers' | 'lacksSubsystem'>,
    Pick<LastUpdate, 'hadOnlySuspected'> {
  readonly update: NodeUpdate
}

/** Updates a node with an uncertain state. */
function updateFully({ dump, caveat }: NodeKnowledge, result: CompileResult): KnownUpdate {
  const patch = fullPatch(dump, result, caveat)
  const leftovers = leftoversAfter(patch, result, dump !== undefined)
  const lacksSubsystem = dump !== undefined && result.families.some(({ family }) => !hasEverySubsystem(dump, family))
  const update = { patch, full: true, mayHaveLeftovers: lacksSubsystem || mayHaveLeftovers(leftovers) }
  return { update, caveat, leftovers, lacksSubsystem, hadOnlySuspected: namesServers(dump, caveat) }
}

/** Updates a node with an applied result. The last update did not fail, so there is no caveat. */
function updateApplied(
  applied: CompileResult,
  { leftovers, lacksSubsystem }: NodeKnowledge,
  result: CompileResult,
): KnownUpdate {
  const patch = withFacts(diff(applied, result), leftovers, applied.mode !== result.mode)
  const update = { patch, full: false, mayHaveLeftovers: lacksSubsystem || mayHaveLeftovers(leftovers) }
  return { update, caveat: NOTHING_KNOWN, leftovers, lacksSubsystem, hadOnlySuspected: hasKnownServers(leftovers) }
}

function afterDump(knowledge: NodeKnowledge, dump: Dump): NodeKnowledge {
  const { applied, caveat } = knowledge
  const since = applied === undefined ? caveat : { ...NOTHING_KNOWN, stale: new Map(), since: applied }
  return { ...knowledge, dump, applied: undefined, caveat: since }
}

function afterFailure(knowledge: NodeKnowledge): NodeKnowledge {
  const { caveat, last } = knowledge
  if (last === undefined) return { ...knowledge, dump: undefined }
  const { hadOnlySuspected, before, result, removed } = last
  const suspected = joinResources([caveat.suspected, resourcesOfResult(before), resourcesOfResult(result), removed])
  const stale = joinStale(caveat.stale ?? new Map(), last.stale)
  return {
    ...knowledge,
    dump: undefined,
    applied: undefined,
    caveat: { suspected, hasOnlySuspected: hadOnlySuspected, stale, since: result },
  }
}

function mayHaveLeftovers(leftovers: LeftoversByFamily): boolean {
  return [...leftovers.values()].some((each) => Object.keys(each).length > 0)
}

/** Reports whether all virtual servers on the node are known, for every family. */
function hasKnownServers(leftovers: LeftoversByFamily): boolean {
  return [...leftovers.values()].every(({ ipvs }) => ipvs === undefined)
}

/** Reports whether a dump contains all virtual servers or, without a dump, whether all virtual servers are suspected. */
function namesServers(actual: Dump | undefined, { hasOnlySuspected }: Caveat): boolean {
  return actual === undefined ? hasOnlySuspected : IP_FAMILIES.some((family) => actual[family].ipvs !== undefined)
}

function fullPatch(actual: Dump | undefined, result: CompileResult, caveat: Caveat): ResultPatch {
  const { suspected, hasOnlySuspected, stale, since } = caveat
  const all = stale && joinStale(stale, diffStaleConnections(since, result))
  return reconcile(actual, result, { suspected, hasOnlySuspected, staleConnections: all })
}

function hasAnotherFamily(result: CompileResult, before: CompileResult): boolean {
  return result.families.some(({ family }) => before.families.every((each) => each.family !== family))
}

function withFacts({ families }: ResultPatch, leftovers: LeftoversByFamily, keepsSharedChains: boolean): ResultPatch {
  return {
    families: families.map((each): FamilyPatch => {
      const start = leftovers.get(each.family)
      const keeps = keepsSharedChains || each.patch.changes.some((change) => isSharedChain(resourceIdOf(change)))
      if (start === undefined && !keeps) return each
      return { ...each, ...(start && { start }), ...(keeps && { keepsSharedChains: true }) }
    }),
  }
}

/**
 * Returns the knowledge about the node after a full patch. Chains with unknown names may remain. Virtual servers may
 * also remain, unless the patch replaced all virtual servers.
 */
function leftoversAfter(patch: ResultPatch, { families }: CompileResult, hasDump: boolean): LeftoversByFamily {
  const leftovers = new Map<IpFamily, PriorKnowledgeBySubsystem>()
  // One command clears the virtual servers of both families, so excluded networks in one family spare the servers of
  // both families.
  const sparesServers = families.some(({ plan }) => plan.kernel.ipvs.excludeCidrs.length > 0)
  for (const { family, state } of families) {
    const { start = {} } = patch.families.find((each) => each.family === family) ?? {}
    const keepsServers = state.ipvs === undefined ? !hasDump : sparesServers
    const left: PriorKnowledgeBySubsystem = {
      ...(start.iptables === 'unknown' && { iptables: 'atLeast' }),
      ...(!hasDump && state.ipset === undefined && { ipset: 'atLeast' }),
      ...((!hasDump || start.ipvs === 'unknown') && keepsServers && { ipvs: 'atLeast' }),
    }
    if (Object.keys(left).length > 0) leftovers.set(family, left)
  }
  return leftovers
}
