import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import { applyEffects } from './apply-effects.js'
import { bundlePaths } from './bundle-paths.js'
import { type ChainResult, continueInChain } from './chain-result.js'
import { packetAfterNatChain, passesNatChain } from './decide-nat.js'
import type { KernelPacket } from './kernel-packet.js'
import { splitByLocality } from './locality.js'
import { mergePathStates } from './merge-paths.js'
import {
  createPathKey,
  type HookVerdict,
  NEXT_VERDICT,
  OUTPUT_VERDICT,
  type PathState,
  pathsOfDestinations,
  withPacket,
} from './path-state.js'
import type { BaseChain, Program } from './program.js'
import { runBaseChain } from './run-chain.js'
import type { RunContext } from './split-path.js'

/** A completed path: delivered locally (`node`) or sent out (`network`). */
export interface CompletedPath extends PathState {
  readonly end: 'node' | 'network' | Exclude<HookVerdict, { readonly kind: 'next' | 'output' }>
}

/** The context of all hooks: a run context without a hook. */
export type WalkContext = Omit<RunContext, 'hook'> & { readonly hooks: Program['hooks'] }

/** A path state with the verdict of a base chain. */
interface HookResult extends PathState {
  readonly verdict: HookVerdict
}

/**
 * Follows a packet from a hook on. After PREROUTING, a packet to a local address continues at INPUT, and any other
 * packet at FORWARD and POSTROUTING. Locally generated packets traverse OUTPUT and POSTROUTING. If their destination is
 * local, they then enter through `lo`, at PREROUTING. Each completed path has one destination.
 */
export function walkHooks(hook: Hook, path: PathState, context: WalkContext): readonly CompletedPath[] {
  const results = visitBaseChains(hook, path, context)
  const completed = results.flatMap((result) => continuePath(hook, result, context))
  return path.destinations === undefined && path.order === undefined ? inOrder(completed) : completed
}

/** Returns completed paths with one destination each, in the order before they were bundled. */
function inOrder(completed: readonly CompletedPath[]): readonly CompletedPath[] {
  if (completed.every(({ destinations, order }) => destinations === undefined && order === undefined)) return completed
  return completed
    .flatMap((each) => pathsOfDestinations(each).map((path) => complete(path, each.end)))
    .sort((a, b) => (a.order ?? 0) - (b.order ?? 0))
    .map(withoutOrder)
}

function withoutOrder({ weight, assumptions, packet, last, leading, sources, end }: CompletedPath): CompletedPath {
  return { weight, assumptions, packet, last, leading, sources, destinations: undefined, order: undefined, end }
}

function complete(path: PathState, end: CompletedPath['end']): CompletedPath {
  const { weight, assumptions, packet, last, leading, sources, destinations, order } = path
  return { weight, assumptions, packet, last, leading, sources, destinations, order, end }
}

function continuePath(hook: Hook, result: HookResult, context: WalkContext): readonly CompletedPath[] {
  const { verdict } = result
  if (verdict.kind === 'output') return walkHooks('OUTPUT', result, context)
  if (verdict.kind !== 'next') return [complete(result, verdict)]
  switch (hook) {
    case 'INPUT':
      return [complete(result, 'node')]
    case 'FORWARD':
    case 'OUTPUT':
      return walkHooks('POSTROUTING', result, context)
    case 'PREROUTING': {
      const { local, away } = splitByLocality(result, context)
      return [
        ...local.flatMap((path) => walkHooks('INPUT', path, context)),
        ...away.flatMap((path) => walkHooks('FORWARD', path, context)),
      ]
    }
    case 'POSTROUTING': {
      const { local, away } = splitByLocality(result, context)
      return [
        ...local.flatMap((path) => walkHooks('PREROUTING', enterThroughLoopback(path), context)),
        ...away.map((path) => complete(path, 'network')),
      ]
    }
  }
}

function enterThroughLoopback(path: PathState): PathState {
  return withPacket(path, { ...path.packet, inInterface: 'lo' })
}

function visitBaseChains(hook: Hook, start: PathState, context: WalkContext): readonly HookResult[] {
  let results: readonly HookResult[] = [withVerdict(start, NEXT_VERDICT)]
  for (const base of context.hooks[hook]) {
    const visited = results.flatMap((result) =>
      result.verdict.kind === 'next' ? visit(base, result, context) : [result],
    )
    results = visited.length === 1 ? visited : mergeResults(visited)
  }
  return results
}

/** Bundles results and merges those that are equal or differ in an assumption that does not matter. */
function mergeResults(results: readonly HookResult[]): readonly HookResult[] {
  const bundled = bundleResults(results) ?? results
  if (bundled.length === 1 || areApart(bundled)) return bundled
  return mergePathStates(bundled, keyOfResult)
}

/** Bundles the results that continue at the next hook, and the results that continue at OUTPUT. */
function bundleResults(results: readonly HookResult[]): readonly HookResult[] | undefined {
  const ordered: readonly HookResult[] = results.map(withOrder)
  const bundled = [OUTPUT_VERDICT, NEXT_VERDICT].reduce(bundleWithVerdict, ordered)
  return bundled === ordered ? undefined : bundled
}

function bundleWithVerdict(results: readonly HookResult[], verdict: HookVerdict): readonly HookResult[] {
  const continuing = results.filter((result) => result.verdict === verdict)
  const bundles = continuing.length < 2 ? undefined : bundlePaths(continuing)
  if (bundles === undefined) return results
  const others = results.filter((result) => result.verdict !== verdict)
  return [...bundles.map((path) => withVerdict(path, verdict)), ...others]
}

/** Returns a result with its position, unless it has one. */
function withOrder(result: HookResult, position: number): HookResult {
  if (result.destinations !== undefined || result.order !== undefined) return result
  const { weight, assumptions, packet, last, leading, sources, verdict } = result
  return { weight, assumptions, packet, last, leading, sources, destinations: undefined, order: position, verdict }
}

/** Reports whether all paths have different destinations. Such paths cannot be equal. */
function areApart(paths: readonly HookResult[]): boolean {
  return new Set(paths.map(({ packet }) => packet.destination)).size === paths.length
}

function keyOfResult(result: HookResult): string {
  const { verdict } = result
  return verdict === NEXT_VERDICT ? createPathKey(result) : `${JSON.stringify(verdict)} ${createPathKey(result)}`
}

function withVerdict(path: PathState, verdict: HookVerdict): HookResult {
  const { weight, assumptions, packet, last, leading, sources, destinations, order } = path
  return { weight, assumptions, packet, last, leading, sources, destinations, order, verdict }
}

function visit(base: BaseChain, path: PathState, context: WalkContext): readonly HookResult[] {
  const { hook, translates, chain } = base
  if (translates && !passesNatChain(hook, path.packet)) return [withVerdict(path, NEXT_VERDICT)]
  const { facts, reads, budget, conditions } = context
  const run: RunContext = { hook, facts, reads, budget, conditions }
  const results = runBaseChain(chain, path, run).flatMap((result) => leaveBaseChain(base, result, run))
  return translates ? results.map((result) => afterNatChain(hook, path.packet, result)) : results
}

function afterNatChain(hook: Hook, previous: KernelPacket, result: HookResult): HookResult {
  const { weight, assumptions, packet: left, last, leading, sources, destinations, order, verdict } = result
  const packet = packetAfterNatChain(hook, previous, left)
  return { weight, assumptions, packet, last, leading, sources, destinations, order, verdict }
}

/** Leaves a base chain. Its policy applies to a path that reaches the end of the chain without a verdict. */
function leaveBaseChain(base: BaseChain, { path, exit }: ChainResult, run: RunContext): readonly HookResult[] {
  if (typeof exit !== 'string') return [withVerdict(path, exit)]
  if (base.policy === undefined) return [withVerdict(path, NEXT_VERDICT)]
  const effectContext = { run, condition: () => '', call: () => [continueInChain(path)] }
  return applyEffects(base.policy, path, effectContext).map((result) =>
    withVerdict(result.path, typeof result.exit === 'string' ? NEXT_VERDICT : result.exit),
  )
}
