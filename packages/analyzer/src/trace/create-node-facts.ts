import { createCoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import { toTernary } from '@kube-rules/compiler/internal/dataplane/netfilter/ternary'
import { type NodeState, presentSubsystemsOf } from '@kube-rules/compiler/internal/dataplane/node-state'
import { isLoopback } from '@kube-rules/types/internal/ip'
import type { NodeFacts } from '../program/facts.js'
import { coverageOf, loweringOf } from './create-program.js'
import type { TraceContext } from './trace-context.js'

/** Returns what a state and `traceContext` say about a node. */
export function createNodeFacts(state: NodeState, { addresses, affinity = [] }: TraceContext): NodeFacts {
  return {
    coverage: coverageOf(state),
    addresses,
    isLocal: createLocalityCheck(state, addresses),
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

/** Returns a function that reports whether an address is local. */
function createLocalityCheck(state: NodeState, addresses: readonly string[] | undefined): NodeFacts['isLocal'] {
  const bound = presentSubsystemsOf(state).flatMap((name) => loweringOf(name).boundAddresses?.(state[name]) ?? [])
  const own = new Set(addresses)
  const isAnyBound = presentSubsystemsOf(state).some((name) => loweringOf(name).needsAddresses)
  // In a partial dump, bound addresses may be missing, so any address may be local.
  const mayBeBound =
    isAnyBound && state.coverage !== undefined && !createCoverageQueries(state.coverage).isComplete('addresses')
  return (address) => {
    if (isLoopback(address) || bound.some((addresses) => addresses.has(address))) return 'yes'
    const answer = addresses === undefined ? 'unknown' : toTernary(own.has(address))
    return answer === 'no' && mayBeBound ? 'unknown' : answer
  }
}
