import type { Cidr, IpFamily } from '@kube-rules/types'
import { checkIterable, checkMap } from '../arguments/check-argument.js'
import { checkPatch, checkResult } from '../arguments/check-result.js'
import { checkState } from '../arguments/check-state.js'
import type { CompileResult, FamilyResult } from '../compilation/compile-result.js'
import { assembleState, resourcesOf } from '../dataplane/node-resources.js'
import { type NodeState, SUBSYSTEMS } from '../dataplane/node-state.js'
import type { PriorKnowledgeBySubsystem } from '../dataplane/tool-options.js'
import { hash16 } from '../internal/hash.js'
import type { DiffOptions } from '../patch/diff-resources.js'
import { EMPTY_STATE_DIGEST } from '../patch/digest.js'
import { concatChanges } from '../patch/order.js'
import {
  applyChanges,
  type Change,
  createPatch,
  hasNoChanges,
  invertChanges,
  type Patch,
  resourceIdOf,
} from '../patch/patch.js'
import type { Resources } from '../patch/resource.js'
import type { StaleConnection } from '../plan/stale-connection.js'
import { findStaleConnections, mergeStaleConnections } from '../plan/stale-connections.js'
import { SUBSYSTEM_DIFFERS, type SubsystemDiffer } from './subsystem-differs.js'

/** The patch from one result to another. A patch is plain data and survives a JSON round trip. */
export interface ResultPatch {
  /** The family patches, excluding empty patches, in the order of their application. */
  readonly families: readonly FamilyPatch[]
}

/** The patch of the rules of one address family. */
export interface FamilyPatch {
  /** The address family. */
  readonly family: IpFamily
  /**
   * The changes of the resources of all subsystems. The digests in the patch identify the states before and after the
   * patch.
   */
  readonly patch: Patch
  /** The UDP conntrack entries to delete after the changes. */
  readonly staleConnections: readonly StaleConnection[]
  /**
   * What is known about each subsystem of the node before the patch. The commands depend on this knowledge (see
   * `toCommands`). Absent if the node has exactly the state before the patch.
   */
  readonly start?: PriorKnowledgeBySubsystem | undefined
  /**
   * Virtual servers with an address in one of these networks are preserved even if they are not expected
   * (`ipvs.excludeCIDRs`).
   */
  readonly excludeCidrs?: readonly Cidr[] | undefined
  /**
   * Whether KUBE-FIREWALL and the jumps to this chain are preserved, and may already exist, because the kubelet also
   * creates them. Default: the chain and the jumps belong to kube-proxy alone.
   */
  readonly keepsSharedChains?: boolean | undefined
}

/**
 * Returns the patch from the rules of `previous` to the rules of `next`. The results may have different modes.
 * Undefined represents a node without any kube-proxy rules: `diff(undefined, next)` is a first load, and
 * `diff(previous, undefined)` is a removal. If `next` was compiled with `previous`, the cost is proportional to the
 * number of changed service ports, and a patch that passes 1,000 endpoints in iptables mode changes only these: results
 * that were compiled apart differ in the comments of all endpoints.
 *
 * From 1.32 on, an nftables element keeps its comment as long as its key and its verdict stay, like in kube-proxy.
 * In ipvs mode of 1.24 to 1.26, the patch deletes the connections of all UDP node ports unless the results share their
 * families, because kube-proxy does so in every sync.
 *
 * @example
 * ```ts
 * const before = compile(input, { nodeName: 'node-1' })
 * const after = compile({ ...input, services: [] }, { nodeName: 'node-1', previous: before })
 * diff(before, after).families.map(({ family }) => family) // => ['IPv4']
 * ```
 */
export function diff(previous: CompileResult | undefined, next: CompileResult | undefined): ResultPatch {
  if (previous !== undefined) checkResult('previous', previous)
  if (next !== undefined) checkResult('next', next)
  const before = previous?.families ?? []
  const after = next?.families ?? []
  const isSwitch = previous !== undefined && next !== undefined && previous.mode !== next.mode
  const families = new Set([...after, ...before].map(({ family }) => family))
  const patches = Array.from(families, (family) => {
    const old = before.find((each) => each.family === family)
    const fresh = after.find((each) => each.family === family)
    return diffFamily(family, old, fresh, isSwitch)
  })
  return { families: patches.filter((each) => !isEmptyFamilyPatch(each)) }
}

/**
 * Reports whether a patch changes nothing, deletes no conntrack entries, and does not start from an unknown state.
 *
 * @example
 * ```ts
 * const result = compile(input, { nodeName: 'node-1' })
 * isEmptyPatch(diff(result, result)) // => true
 * isEmptyPatch(diff(undefined, result)) // => false
 * ```
 */
export function isEmptyPatch(patch: ResultPatch): boolean {
  checkPatch('patch', patch)
  return patch.families.every(isEmptyFamilyPatch)
}

/** The resources of a node by family, for `applyPatch`. */
export type NodeResources = ReadonlyMap<IpFamily, Resources>

/**
 * Lists the resources of states. Each state must have a different family, like the families of a result.
 *
 * @example
 * ```ts
 * const [{ state }] = compile(input, { nodeName: 'node-1' }).families
 * toResources([state]).get('IPv4').has('nat/KUBE-SERVICES') // => true
 * ```
 */
export function toResources(states: Iterable<NodeState>): NodeResources {
  const list = checkIterable('states', states, 'an iterable of node states')
  for (const [index, state] of list.entries()) checkState('states', state, `[${index}]`)
  return new Map(list.map((state) => [state.family, resourcesOf(state)]))
}

/**
 * Applies a patch to resources. Throws unless `before` has exactly the resources that the patch starts from. The comments
 * of nftables elements do not count: `before` may have outdated comments, and an unchanged element keeps its comment.
 *
 * @example
 * ```ts
 * const result = compile(input, { nodeName: 'node-1' })
 * const resources = applyPatch(new Map(), diff(undefined, result))
 * resources.get('IPv4').has('nat/KUBE-SERVICES') // => true
 * ```
 */
export function applyPatch(before: NodeResources, patch: ResultPatch): NodeResources {
  checkMap('before', before, 'a Map of resources by family')
  checkPatch('patch', patch)
  const after = new Map(before)
  for (const { family, patch: changes } of patch.families) {
    after.set(family, applyChanges(after.get(family) ?? new Map(), changes))
  }
  return after
}

/**
 * Returns the inverse patch. The inverse patch deletes no conntrack entries, because only a `diff` of two results can
 * determine stale entries.
 *
 * @example
 * ```ts
 * const patch = diff(undefined, compile(input, { nodeName: 'node-1' }))
 * const resources = applyPatch(new Map(), patch)
 * applyPatch(resources, invertPatch(patch)).get('IPv4').size // => 0
 * ```
 */
export function invertPatch(patch: ResultPatch): ResultPatch {
  checkPatch('patch', patch)
  return {
    families: patch.families.map(({ patch: changes, start: _, ...rest }) => ({
      ...rest,
      patch: invertChanges(changes),
      staleConnections: [],
    })),
  }
}

/**
 * Rebuilds states from resources. Metadata that resources do not contain is lost: the owners of rules, and the rules that
 * `print` writes only in the format `restore`. Print a rebuilt state in the format `save`.
 *
 * @example
 * ```ts
 * const [{ state }] = compile(input, { nodeName: 'node-1' }).families
 * const [copy] = assembleStates(toResources([state]))
 * print(copy, { format: 'save' }) === print(state, { format: 'save' }) // => true
 * ```
 */
export function assembleStates(all: NodeResources): readonly NodeState[] {
  checkMap('all', all, 'a Map of resources by family')
  return Array.from(all, ([family, own]) => assembleState(own, family))
}

function diffFamily(
  family: IpFamily,
  before: FamilyResult | undefined,
  after: FamilyResult | undefined,
  isSwitch: boolean,
): FamilyPatch {
  if (before === after) return { family, patch: NOTHING, staleConnections: [] }
  const excludeCidrs = after?.plan.kernel.ipvs.excludeCidrs ?? []
  return {
    family,
    patch: diffWithComments(before, after),
    staleConnections: staleOfFamily(before, after, isSwitch),
    ...(excludeCidrs.length > 0 && { excludeCidrs }),
  }
}

const NOTHING: Patch = { from: '', to: '', changes: [] }

/**
 * Returns the patch of the states of a family, with the elements that kube-proxy writes because of their comments. Up to
 * 1.31, these are the elements with other comments. In 1.32, a change of the zone writes all elements.
 */
function diffWithComments(before: FamilyResult | undefined, after: FamilyResult | undefined): Patch {
  const features = (after ?? before)?.plan.kernel.features
  const patch = diffStates(before?.state, after?.state, { withComments: features?.elementCommentsKept !== true })
  if (before === undefined || after === undefined || !features?.elementCommentsKept) return patch
  const isFullSync = features.fullSyncsWriteElements && before.plan.node.zone !== after.plan.node.zone
  return isFullSync ? rewriteComments(patch, resourcesOf(after.state)) : patch
}

/** Adds updates of all resources with a comment that a patch does not change. */
function rewriteComments(patch: Patch, after: Resources): Patch {
  const changed = new Set(patch.changes.map(resourceIdOf))
  const commented = Array.from(after.values()).filter(({ id, comment }) => comment !== undefined && !changed.has(id))
  const rewritten = commented.map((resource): Change => {
    return { kind: 'update', id: resource.id, before: resource, after: resource }
  })
  return createPatch({ from: () => patch.from, to: () => patch.to }, concatChanges([patch.changes, rewritten]))
}

/** Returns the patch from one state to another, subsystem by subsystem. */
export function diffStates(before: NodeState | undefined, after: NodeState | undefined, options?: DiffOptions): Patch {
  const patches = SUBSYSTEMS.flatMap((name) => {
    const [old, fresh] = [before?.[name], after?.[name]]
    const differ: SubsystemDiffer<unknown> = SUBSYSTEM_DIFFERS[name]
    return old === undefined && fresh === undefined ? [] : [{ name, patch: differ.diff(old, fresh, options) }]
  })
  const digestOf = (side: 'from' | 'to', state: NodeState | undefined): string =>
    state === undefined
      ? EMPTY_STATE_DIGEST
      : hash16(
          patches
            .flatMap((each) => (state[each.name] === undefined ? [] : `${each.name} ${each.patch[side]}`))
            .join('\n'),
        )
  return createPatch(
    { from: () => digestOf('from', before), to: () => digestOf('to', after) },
    concatChanges(patches.map(({ patch }) => patch.changes)),
  )
}

/** Returns, by family, the connections that become stale if one result replaces another result. */
export function diffStaleConnections(
  before: CompileResult | undefined,
  after: CompileResult,
): ReadonlyMap<IpFamily, readonly StaleConnection[]> {
  const isSwitch = before !== undefined && before.mode !== after.mode
  return new Map(
    after.families.map((fresh) => {
      const old = before?.families.find(({ family }) => family === fresh.family)
      return [fresh.family, old === fresh ? [] : staleOfFamily(old, fresh, isSwitch)]
    }),
  )
}

/**
 * Returns the stale connections of one family. After a mode switch, kube-proxy starts without information about
 * existing connections. Therefore, a mode switch is handled like a removal followed by a first load.
 */
function staleOfFamily(
  before: FamilyResult | undefined,
  after: FamilyResult | undefined,
  isSwitch: boolean,
): readonly StaleConnection[] {
  if (!isSwitch) return findStaleConnections(before?.plan, after?.plan)
  return mergeStaleConnections([
    ...findStaleConnections(before?.plan, undefined),
    ...findStaleConnections(undefined, after?.plan),
  ])
}

export function isEmptyFamilyPatch({ patch, staleConnections: stale, start = {} }: FamilyPatch): boolean {
  return hasNoChanges(patch) && stale.length === 0 && !Object.values(start).includes('unknown')
}
