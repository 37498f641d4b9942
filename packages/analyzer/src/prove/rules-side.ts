import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import { decide } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import type { ComparisonSide } from '../compare/comparison-side.js'
import { destinationsOfState, splitStateByOwner } from '../compare/state-partition.js'
import { createPlanFilter } from '../plan/create-plan-filter.js'
import { getTracer } from '../trace/trace.js'

/**
 * Returns compiled rules as one side of a comparison. Health checks from other hosts are traced with policy DROP at the
 * input hook. Only with this policy, the outcome shows whether a rule accepts the health check.
 */
export function createRulesSide(state: NodeState, plan: Plan): ComparisonSide {
  const addresses = plan.node.addresses.map(({ address }) => address)
  const tracer = getTracer(state, { addresses })
  const guarded = createLazyGetter(() => getTracer(withDroppedInput(state), { addresses }))
  const partOf = createPlanFilter(plan)
  // In ipvs mode, kube-proxy accepts health checks only if the node serves node ports.
  const hasNodePorts = plan.nodePorts.all || plan.nodePorts.addresses.length > 0
  const isHealthCheck = (packet: Packet) =>
    hasNodePorts &&
    packet.origin === 'outside' &&
    plan.kernel.features.healthChecksAccepted &&
    decide(partOf(packet), packet).kind === 'healthCheck'
  const tracerOf = (packet: Packet) => (isHealthCheck(packet) ? guarded() : tracer)
  return {
    trace: (packet, readSet) => tracerOf(packet).trace(packet, readSet),
    traceSharedPaths: (packet, equivalents, readSet) => tracerOf(packet).traceSharedPaths(packet, equivalents, readSet),
    isLocal: tracer.facts.isLocal,
    destinations: destinationsOfState(state),
    parts: splitStateByOwner(state),
  }
}

/** Returns the rules of a node with policy DROP at the input hook. */
function withDroppedInput({ iptables, ...others }: NodeState): NodeState {
  if (iptables === undefined) return others
  const tables = iptables.tables.map((table) =>
    table.name === 'filter' ? { ...table, policies: [{ chain: 'INPUT', policy: 'DROP' } as const] } : table,
  )
  return { ...others, iptables: { ...iptables, tables } }
}
