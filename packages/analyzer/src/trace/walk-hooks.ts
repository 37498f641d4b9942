import type { EvaluationContext } from '@kube-rules/compiler/internal/dataplane/netfilter/evaluation-context'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import { createPacketKey } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import { splitByLocality } from '../dataplane/netfilter/locality.js'
import {
  type ConditionTable,
  type HandlerResult,
  type HookHandler,
  type HookVerdict,
  NEXT_VERDICT,
  type PathState,
  pathStateOf,
  withPacket,
  withVerdict,
} from '../dataplane/netfilter/path-state.js'
import { followPaths } from './follow-paths.js'
import { mergePathStates } from './merge-paths.js'

/** A completed path: delivered locally (`node`) or sent out (`network`). */
export interface CompletedPath extends PathState {
  readonly end: 'node' | 'network' | Exclude<HookVerdict, { readonly kind: 'next' | 'output' }>
}

export interface TraceEnvironment {
  /** The hook handlers of each hook, in priority order. */
  readonly hookHandlers: Readonly<Record<Hook, readonly HookHandler[]>>
  readonly facts: EvaluationContext
  /** The table of the conditions of all packets. */
  readonly conditions: ConditionTable
}

/**
 * Traces a packet from a hook on. After PREROUTING, a packet to a local address continues at INPUT, and any other
 * packet at FORWARD and POSTROUTING. Locally generated packets traverse OUTPUT and POSTROUTING. If their destination is
 * local, they then enter through `lo`, at PREROUTING.
 */
export function walkHooks(hook: Hook, branch: PathState, environment: TraceEnvironment): readonly CompletedPath[] {
  return followPaths(
    visitHookHandlers(hook, branch, environment),
    (result) => continuePath(hook, result, environment),
    copyCompletedPath,
  )
}

function continuePath(hook: Hook, result: HandlerResult, environment: TraceEnvironment): readonly CompletedPath[] {
  const { verdict } = result
  const branch = pathStateOf(result)
  if (verdict.kind === 'output') return walkHooks('OUTPUT', branch, environment)
  if (verdict.kind !== 'next') return [ended(branch, verdict)]
  switch (hook) {
    case 'INPUT':
      return [ended(branch, 'node')]
    case 'FORWARD':
    case 'OUTPUT':
      return walkHooks('POSTROUTING', branch, environment)
    case 'PREROUTING': {
      const { local, away } = splitByLocality(branch, environment.facts)
      return [
        ...local.flatMap((path) => walkHooks('INPUT', path, environment)),
        ...away.flatMap((path) => walkHooks('FORWARD', path, environment)),
      ]
    }
    case 'POSTROUTING': {
      const { local, away } = splitByLocality(branch, environment.facts)
      return [
        ...local.flatMap((path) => walkHooks('PREROUTING', comingInByLoopback(path), environment)),
        ...away.map((path) => ended(path, 'network')),
      ]
    }
  }
}

function ended({ weight, assumptions, packet, last, budget }: PathState, end: CompletedPath['end']): CompletedPath {
  return { weight, assumptions, packet, last, budget, end }
}

function copyCompletedPath({ end }: CompletedPath, branch: PathState): CompletedPath {
  return ended(branch, end)
}

function comingInByLoopback(branch: PathState): PathState {
  return withPacket(branch, { ...branch.packet, inInterface: 'lo' })
}

function visitHookHandlers(
  hook: Hook,
  branch: PathState,
  { hookHandlers }: TraceEnvironment,
): readonly HandlerResult[] {
  let result: readonly HandlerResult[] = [withVerdict(branch, NEXT_VERDICT)]
  let areKnownApart = true
  for (const hookHandler of hookHandlers[hook]) {
    const [only] = result
    const visited =
      only !== undefined && result.length === 1
        ? visitHookHandler(hookHandler, only)
        : followPaths(result, (each) => visitHookHandler(hookHandler, each), copyHandlerResult)
    areKnownApart = (areKnownApart && haveSameDestinations(visited, result)) || areApart(visited)
    result = areKnownApart ? visited : mergePathStates(visited, verdictKey)
  }
  return result
}

/** Reports whether two lists of paths have the same destinations in the same order. */
function haveSameDestinations(paths: readonly HandlerResult[], others: readonly HandlerResult[]): boolean {
  if (paths.length !== others.length) return false
  return paths.every(({ packet }, index) => packet.destination === others[index]?.packet.destination)
}

/** Reports whether all paths have different destinations. Such paths cannot be equal. */
function areApart(paths: readonly HandlerResult[]): boolean {
  return paths.length === 1 || new Set(paths.map(({ packet }) => packet.destination)).size === paths.length
}

function visitHookHandler(hookHandler: HookHandler, result: HandlerResult): readonly HandlerResult[] {
  return result.verdict.kind === 'next' ? hookHandler.visit(result) : [result]
}

function copyHandlerResult({ verdict }: HandlerResult, branch: PathState): HandlerResult {
  return withVerdict(branch, verdict)
}

function verdictKey({ verdict, packet }: HandlerResult): string {
  return verdict === NEXT_VERDICT ? createPacketKey(packet) : `${JSON.stringify(verdict)} ${createPacketKey(packet)}`
}
