import type { Cidr, IpFamily } from '@kube-rules/types'
import { checkIterable, checkMap } from '../arguments/check-argument.js'
import { checkPatch, checkResult } from '../arguments/check-result.js'
import { checkState } from '../arguments/check-state.js'
import type { PriorKnowledgeBySubsystem } from '../commands/change-commands.js'
import type { CompileResult, FamilyResult } from '../compilation/compile-result.js'
import { assembleState, resourcesOf } from '../dataplane/node-resources.js'
import { type NodeState, SUBSYSTEMS } from '../dataplane/node-state.js'
import { hash16 } from '../internal/hash.js'
import { EMPTY_STATE_DIGEST } from '../patch/digest.js'
import { joinChanges } from '../patch/order.js'
import { applyChanges, createPatch, hasNoChanges, invertChanges, type Patch } from '../patch/patch.js'
import type { Resources } from '../patch/resource.js'
import type { StaleConnection } from '../plan/stale-connection.js'
import { findStaleConnections, mergeStaleConnections } from '../plan/stale-connections.js'
import { DIFF_FUNCTIONS, type DiffFunction } from './diff-functions.js'

/** The patch from one result to another. Plain data that survives a JSON round trip. */
export interface ResultPatch {
  /** The family patches in the order of application, without empty ones. */
  readonly families: readonly FamilyPatch[]
}

export interface FamilyPatch {
  readonly family: IpFamily
  /** Changes of resources of all subsystems. The digests identify the states before and after the patch. */
  readonly patch: Patch
  /** UDP conntrack entries to delete afterwards. */
  readonly staleConnections: readonly StaleConnection[]
  /**
   * The knowledge about the node before the patch, by subsystem, on which the commands depend (see `toCommands`).
   * Absent if the node has exactly the state before the patch.
   */
  readonly start?: PriorKnowledgeBySubsystem | undefined
  /**
   * Virtual servers with an address in one of these networks are preserved even if they are not expected
   * (`ipvs.excludeCIDRs`).
   */
  readonly excludeCidrs?: readonly Cidr[] | undefined
  /**
   * Whether KUBE-FIREWALL, which the kubelet also creates, and the jumps to it are preserved, and may already exist.
   * Default: the chain and the jumps belong to kube-proxy alone.
   */
  readonly keepsSharedChains?: boolean | undefined
}

/**
 * Returns the patch from the rules of `previous` to those of `next`, regardless of their modes. Undefined means a node
 * without rules of kube-proxy: `diff(undefined, next)` is a first load and `diff(previous, undefined)` a removal. If
 * `next` was compiled with `previous`, the cost is proportional to the changed service ports.
 *
 * @example
 * ```ts
 * const before = compile(input, { nodeName: 'node-1' })
 * const after = compile({ ...input, services: [] }, { nodeName: 'node-1', previous: before })
 * diff(before, after).families.map(({ family }) => family) // => ['IPv4']
 * diff(after, after).families // => []
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
 * Reports whether a patch changes nothing and deletes no conntrack entries.
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

/** The resources of nodes by family, as used by `applyPatch`. */
export type NodeResources = ReadonlyMap<IpFamily, Resources>

/**
 * Lists the resources of states of different families, such as the families of a result.
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
 * Applies a patch to resources. Throws if they do not match the starting point of the patch.
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
 * Returns the inverse patch. It deletes no conntrack entries, because only `diff` of two results can determine stale
 * entries.
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
 * Rebuilds states from resources. Metadata that resources do not carry (such as rule ownership) is lost.
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
    patch: diffStates(before?.state, after?.state),
    staleConnections: staleOfFamily(before, after, isSwitch),
    ...(excludeCidrs.length > 0 && { excludeCidrs }),
  }
}

const NOTHING: Patch = { from: '', to: '', changes: [] }

/** Returns the patch from one state to another, subsystem by subsystem. */
export function diffStates(before: NodeState | undefined, after: NodeState | undefined): Patch {
  const patches = SUBSYSTEMS.flatMap((name) => {
    const [old, fresh] = [before?.[name], after?.[name]]
    const differ: DiffFunction<unknown> = DIFF_FUNCTIONS[name]
    return old === undefined && fresh === undefined ? [] : [{ name, patch: differ.diff(old, fresh) }]
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
    joinChanges(patches.map(({ patch }) => patch.changes)),
  )
}

/** Returns the stale connections after one result replaces another one, by family. */
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
 * Returns the stale connections of a mode switch. Like a starting kube-proxy, it has no information about existing
 * connections.
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
