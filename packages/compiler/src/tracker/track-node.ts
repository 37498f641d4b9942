import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { checkCompleteDump } from '../arguments/check-state.js'
import type { CompileResult } from '../compilation/compile-result.js'
import type { Dump } from '../dataplane/node-state.js'
import type { PriorKnowledgeBySubsystem } from '../dataplane/tool-options.js'
import {
  diff,
  diffStaleConnections,
  type FamilyPatch,
  type NodeResources,
  type ResultPatch,
  toResources,
} from '../diff/diff.js'
import { resourceIdOf } from '../patch/patch.js'
import { indexResourcesById, type Resource } from '../patch/resource.js'
import type { StaleConnection } from '../plan/stale-connection.js'
import { mergeStaleConnections } from '../plan/stale-connections.js'
import { reconcile } from '../reconcile/reconcile.js'
import { isSharedChain } from '../targets/shared/kube-chains.js'

/** The known state of a node across updates. */
export interface TrackedNode {
  /** Returns the patch from the known state to this result. From then on, the node is assumed to have this result. */
  updateTo(result: CompileResult): NodeUpdate
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

type StaleByFamily = ReadonlyMap<IpFamily, readonly StaleConnection[]>

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

/** The last update, with the result before the update. */
interface LastUpdate {
  /** Whether all virtual servers on the node before the update were known or suspected. */
  readonly hadOnlySuspected: boolean
  readonly before: CompileResult | undefined
  readonly result: CompileResult
  readonly patch: ResultPatch
}

export function trackNode(start?: Dump): TrackedNode {
  if (start !== undefined) checkCompleteDump('actual', start)
  let actual = start
  /** The result that is currently applied to the node; undefined if this is not certain. */
  let current: CompileResult | undefined
  let caveat = NOTHING_KNOWN
  let last: LastUpdate | undefined
  let starts: ReadonlyMap<IpFamily, PriorKnowledgeBySubsystem> = new Map()

  const doubted = (before: CompileResult): Caveat => ({
    suspected: resourcesOfResult(before),
    hasOnlySuspected: hasKnownServers(starts),
    stale: new Map(),
    since: before,
  })
  return {
    updateTo: (result) => {
      if (current !== undefined && hasAnotherFamily(result, current)) {
        caveat = doubted(current)
        current = undefined
      }
      const full = current === undefined
      const before = current ?? caveat.since
      const patch = full
        ? fullPatch(actual, result, caveat)
        : withFacts(diff(current, result), starts, isSwitch(current, result))
      if (full) starts = startsAfter(patch, result, actual !== undefined)
      // The previous update did not fail, so the state of the node is known without a caveat.
      if (!full) caveat = NOTHING_KNOWN
      const hadOnlySuspected = full ? namesServers(actual, caveat) : hasKnownServers(starts)
      last = { hadOnlySuspected, before, result, patch }
      current = result
      actual = undefined
      return { patch, full, mayHaveLeftovers: [...starts.values()].some((each) => Object.keys(each).length > 0) }
    },
    resync: (dump) => {
      checkCompleteDump('actual', dump)
      actual = dump
      if (current !== undefined) caveat = { ...NOTHING_KNOWN, stale: new Map(), since: current }
      current = undefined
    },
    markFailed: () => {
      actual = undefined
      if (last === undefined) return
      const { hadOnlySuspected, before, result, patch } = last
      caveat = {
        suspected: joinResources([
          caveat.suspected,
          resourcesOfResult(before),
          resourcesOfResult(result),
          resourcesRemovedBy(patch),
        ]),
        hasOnlySuspected: hadOnlySuspected,
        stale: joinStale(caveat.stale ?? new Map(), staleOf(patch)),
        since: result,
      }
      current = undefined
    },
  }
}

/** Reports whether all virtual servers on the node are known, for every family. */
function hasKnownServers(starts: ReadonlyMap<IpFamily, PriorKnowledgeBySubsystem>): boolean {
  return [...starts.values()].every(({ ipvs }) => ipvs === undefined)
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

function isSwitch(before: CompileResult | undefined, { mode }: CompileResult): boolean {
  return before !== undefined && before.mode !== mode
}

function withFacts(
  { families }: ResultPatch,
  starts: ReadonlyMap<IpFamily, PriorKnowledgeBySubsystem>,
  keepsSharedChains: boolean,
): ResultPatch {
  return {
    families: families.map((each): FamilyPatch => {
      const start = starts.get(each.family)
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
function startsAfter(
  patch: ResultPatch,
  { families }: CompileResult,
  hasDump: boolean,
): ReadonlyMap<IpFamily, PriorKnowledgeBySubsystem> {
  const starts = new Map<IpFamily, PriorKnowledgeBySubsystem>()
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
    if (Object.keys(left).length > 0) starts.set(family, left)
  }
  return starts
}

function resourcesOfResult(result: CompileResult | undefined): NodeResources {
  return toResources(result?.families.map(({ state }) => state) ?? [])
}

/**
 * Returns the resources that a patch removes. A patch from a dump also removes resources that earlier runs left on the
 * node.
 */
function resourcesRemovedBy({ families }: ResultPatch): NodeResources {
  return new Map(
    families.map(({ family, patch }) => {
      const removed = patch.changes.flatMap((change) => (change.kind === 'delete' ? [change.resource] : []))
      return [family, indexResourcesById(removed)]
    }),
  )
}

function joinResources(all: readonly NodeResources[]): NodeResources {
  const joined = new Map<IpFamily, Map<string, Resource>>()
  for (const [family, own] of all.flatMap((each) => [...each])) {
    const existing = joined.get(family) ?? new Map<string, Resource>()
    joined.set(family, existing)
    for (const [id, resource] of own) if (!existing.has(id)) existing.set(id, resource)
  }
  return joined
}

function staleOf({ families }: ResultPatch): StaleByFamily {
  return new Map(families.map(({ family, staleConnections }) => [family, staleConnections]))
}

function joinStale(first: StaleByFamily, second: StaleByFamily): StaleByFamily {
  const families = new Set([...first.keys(), ...second.keys()])
  return new Map(
    Array.from(families, (family) => [
      family,
      mergeStaleConnections([...(first.get(family) ?? []), ...(second.get(family) ?? [])]),
    ]),
  )
}
