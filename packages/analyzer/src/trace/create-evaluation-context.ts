import { createCoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import type { EvaluationContext } from '@kube-rules/compiler/internal/dataplane/netfilter/evaluation-context'
import { formatIpsetId } from '@kube-rules/compiler/internal/dataplane/netfilter/format-ipset-id'
import { disjunctionOf, type Ternary, toTernary } from '@kube-rules/compiler/internal/dataplane/netfilter/ternary'
import { type NodeState, presentSubsystemsOf, type Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { belongsToKubeProxy } from '@kube-rules/compiler/internal/reconcile/belongs-to-kube-proxy'
import { isKubeletChain } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { isLoopback } from '@kube-rules/types/internal/ip'
import { HOOK_HANDLER_FACTORIES, type HookHandlerFactory } from './hook-handler-factories.js'
import type { TraceContext } from './trace-context.js'

/** Creates the evaluation context of a state: the facts that its rules, and `traceContext`, contain about the node. */
export function createEvaluationContext(
  state: NodeState,
  { addresses, affinity = [] }: TraceContext,
): EvaluationContext {
  const holding = presentSubsystemsOf(state).flatMap(
    (name) => handlerFactoryOf(name).knownFacts?.(state[name]).inSet ?? [],
  )
  const coverage =
    state.coverage === undefined ? undefined : { ...createCoverageQueries(state.coverage), isOwned: belongsToKubeProxy }
  return {
    ...(coverage !== undefined && { coverage }),
    isLeftOut: isKubeletChain,
    isLocal: createLocalityCheck(state, { addresses }),
    inSet: (name, directions, packet) => {
      if (holding.length === 0) return 'unknown'
      const answer = findInSets(holding, name, directions, packet)
      // A partly dumped set may have further entries, so `no` becomes `unknown`.
      return answer === 'no' && coverage?.isComplete('ipset', formatIpsetId(name)) === false ? 'unknown' : answer
    },
    secondsSinceSeen: (list, address) => {
      const seen = affinity.find((each) => 'recentList' in each && each.recentList === list && each.client === address)
      return seen && 'recentList' in seen ? seen.ageSeconds : undefined
    },
    persistentServer: (server, address) => {
      const kept = affinity.find(
        (each) => 'virtualServer' in each && each.virtualServer === server && each.client === address,
      )
      return kept && 'virtualServer' in kept ? kept.realServer : undefined
    },
  }
}

/** Reports whether an address is local. */
function createLocalityCheck(
  state: NodeState,
  { addresses }: Pick<TraceContext, 'addresses'>,
): EvaluationContext['isLocal'] {
  const binding = presentSubsystemsOf(state).flatMap(
    (name) => handlerFactoryOf(name).knownFacts?.(state[name]).isLocal ?? [],
  )
  const own = new Set(addresses)
  const isOwn = (address: string) => (addresses === undefined ? 'unknown' : toTernary(own.has(address)))
  const isAnyBound = presentSubsystemsOf(state).some((name) => handlerFactoryOf(name).needsAddresses)
  // In a partial dump, bound addresses may be missing, so any address may be local.
  const mayBeBound =
    isAnyBound && state.coverage !== undefined && !createCoverageQueries(state.coverage).isComplete('addresses')
  return (address) => {
    if (isLoopback(address) || binding.some((isBound) => isBound(address) === 'yes')) return 'yes'
    const answer = isOwn(address)
    return answer === 'no' && mayBeBound ? 'unknown' : answer
  }
}

type SetLookup = EvaluationContext['inSet']

function findInSets(lookups: readonly SetLookup[], ...[name, directions, packet]: Parameters<SetLookup>): Ternary {
  const [only] = lookups
  if (only !== undefined && lookups.length === 1) return only(name, directions, packet)
  return disjunctionOf(lookups.map((inSet) => inSet(name, directions, packet)))
}

/** Returns the hook handler factory of a subsystem, without the type of the state that it reads. */
export function handlerFactoryOf(name: Subsystem): HookHandlerFactory<unknown> {
  return HOOK_HANDLER_FACTORIES[name]
}
