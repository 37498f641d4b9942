import type { Cidr, IpFamily } from '@kube-rules/types'
import type { CompileResult, FamilyResult } from './compile.js'
import { deletionArguments } from './dataplane/conntrack/print.js'
import type { Run } from './dataplane/netfilter/run.js'
import { isEmpty as isEmptyPatch, type Patch } from './diff/patch.js'
import { type StaleConnection, staleConnections } from './plan/stale-connections.js'
import { patchFromIpvs, patchToIpvs, staleAfterSwitch } from './switch-mode.js'
import { type CompiledMode, type StateOf, TARGETS, type TargetOf } from './targets/registry.js'
import { conntrackFilter } from './targets/shared/conntrack-filter.js'
import type { ScriptOptions } from './targets/target.js'

/** What turns one result into another. Plain data: it means the same after a way through JSON. */
export interface ResultPatch {
  /** In the order in which they are to be applied; without those in which nothing changes. */
  readonly families: readonly FamilyPatch[]
}

export interface FamilyPatch {
  readonly family: IpFamily
  /** The mode that carries it out: mode ipvs where one takes the place of the other. */
  readonly mode: CompiledMode
  /** The digests of the state it starts from and the state it leads to are `patch.from` and `patch.to`. */
  readonly patch: Patch
  /** UDP connections that have to be forgotten afterwards. */
  readonly staleConnections: readonly StaleConnection[]
  /** Mode ipvs: virtual servers with an address in one of these are never deleted. */
  readonly excludeCidrs?: readonly Cidr[] | undefined
}

export interface ApplyPlanOptions extends Pick<ScriptOptions, 'terminating' | 'waiting'> {
  /** Which iptables the node has. Default `nft`. */
  readonly backend?: 'nft' | 'legacy' | undefined
  /**
   * The patch starts from nothing, but the machine may hold older rules of ours: chains are written anew, jumps from
   * built-in chains are put in only where they are missing. Chains that nothing leads to any more may stay behind.
   */
  readonly ensure?: boolean | undefined
}

/**
 * What has to change so that a node with the rules of `previous` has those of `next`; undefined stands for nothing of
 * ours, so that `diff(undefined, next)` is a first load and `diff(previous, undefined)` the removal. The cost is that of
 * the service ports that changed, where `next` was compiled with `previous`.
 */
export function diff(previous: CompileResult | undefined, next: CompileResult | undefined): ResultPatch {
  const patches = diffFamilies(previous, next)
  return { families: patches.filter((each) => !isEmptyFamily(each)) }
}

export function isEmpty({ families }: ResultPatch): boolean {
  return families.every(isEmptyFamily)
}

/**
 * The runs of tools that carry a patch out, in an order in which no jump dangles and every service that the patch does
 * not touch is served all the time. A run that fails leaves the node between two of them: do not go on, and apply
 * the next result from nothing with `ensure`.
 */
export function plan({ families }: ResultPatch, options: ApplyPlanOptions = {}): readonly Run[] {
  const { backend = 'nft', ensure, terminating, waiting } = options
  const common = { backend, ensure, terminating, waiting }
  return [
    ...families.flatMap(({ family, mode, patch, excludeCidrs }) =>
      TARGETS[mode].script(patch, { family, excludeCidrs, ...common }),
    ),
    ...families.flatMap((each) => each.staleConnections.map((stale) => forgetStage(stale, each.family))),
  ]
}

function diffFamilies(previous: CompileResult | undefined, next: CompileResult | undefined): readonly FamilyPatch[] {
  const mode = (next ?? previous)?.mode
  if (mode === undefined) return []
  if (previous === undefined || next === undefined || previous.mode === mode) return diffMode(mode, previous, next)
  return switchMode(previous, next)
}

function diffMode<Mode extends CompiledMode>(
  mode: Mode,
  previous: CompileResult | undefined,
  next: CompileResult | undefined,
): readonly FamilyPatch[] {
  const target: TargetOf<Mode> = TARGETS[mode]
  const before = familiesOf<Mode>(previous)
  const after = familiesOf<Mode>(next)
  const families = new Set([...after, ...before].map(({ family }) => family))
  return [...families].map((family) => {
    const old = before.find((each) => each.family === family)
    const fresh = after.find((each) => each.family === family)
    return {
      family,
      mode,
      patch: old === fresh ? NOTHING : target.diff(old?.state, fresh?.state),
      staleConnections: old === fresh ? [] : staleConnections(old?.plan, fresh?.plan),
      ...excludedBy(fresh?.state),
    }
  })
}

function excludedBy(state: StateOf<CompiledMode> | undefined): Pick<FamilyPatch, 'excludeCidrs'> {
  const cidrs = state !== undefined && 'excludeCidrs' in state ? state.excludeCidrs : []
  return cidrs.length === 0 ? {} : { excludeCidrs: cidrs }
}

const NOTHING: Patch = { from: '', to: '', changes: [] }

/** A family that only one of the two results has comes or goes as it is. */
function switchMode(previous: CompileResult, next: CompileResult): readonly FamilyPatch[] {
  const isInNext = ({ family }: FamilyResult) => next.families.some((each) => each.family === family)
  const both = previous.families.filter(isInNext).map(({ family }) => family)
  return [
    ...both.map((family) => switchFamily(family, previous, next)),
    ...diffMode(next.mode, undefined, withoutFamilies(next, both)),
    ...diffMode(previous.mode, withoutFamilies(previous, both), undefined),
  ]
}

function switchFamily(family: IpFamily, previous: CompileResult, next: CompileResult): FamilyPatch {
  const before = familyOf(previous, family)
  const after = familyOf(next, family)
  const patch =
    next.mode === 'ipvs'
      ? patchToIpvs({ iptables: before as FamilyOf<'iptables'>, ipvs: after as FamilyOf<'ipvs'> })
      : patchFromIpvs({ iptables: after as FamilyOf<'iptables'>, ipvs: before as FamilyOf<'ipvs'> })
  return { family, mode: 'ipvs', patch, staleConnections: staleAfterSwitch(before, after) }
}

type FamilyOf<Mode extends CompiledMode> = FamilyResult<StateOf<Mode>>

function familyOf(result: CompileResult, family: IpFamily): FamilyResult {
  return result.families.find((each) => each.family === family) as FamilyResult
}

function withoutFamilies(result: CompileResult, families: readonly IpFamily[]): CompileResult {
  return { ...result, families: result.families.filter(({ family }) => !families.includes(family)) } as CompileResult
}

function familiesOf<Mode extends CompiledMode>(
  result: CompileResult | undefined,
): readonly FamilyResult<StateOf<Mode>>[] {
  return (result?.families ?? []) as readonly FamilyResult<StateOf<Mode>>[]
}

function isEmptyFamily({ patch, staleConnections: stale }: FamilyPatch): boolean {
  return isEmptyPatch(patch) && stale.length === 0
}

/** conntrack also fails where no connection fits. */
function forgetStage(stale: StaleConnection, family: IpFamily): Run {
  const args = deletionArguments(conntrackFilter(stale, family))
  return { tool: 'conntrack', args, input: '', purpose: 'forget connections that are stale', mayFail: true }
}
