import { IP_FAMILIES, type Packet } from '@kube-rules/types'
import { trace } from '../../../../analyzer/src/trace/trace.js'
import type { TraceContext } from '../../../../analyzer/src/trace/trace-context.js'
import type { TracePath } from '../../../../analyzer/src/trace/trace-paths.js'
import type { NodeState } from '../../../src/dataplane/node-state.js'
import { decide } from '../../../src/plan/decide.js'
import type { Plan } from '../../../src/plan/plan.js'
import { ADDRESSES } from './topology.js'

/** Returns the traced outcome of a packet, in the format of a case's `expected`. */
export function traced(state: NodeState, packet: Packet, traceContext: TraceContext): string {
  return trace(state, packet, traceContext).map(pathText).sort().join(' ')
}

function pathText({ outcome, assumptions }: TracePath): string {
  if (assumptions.length > 0) return `it depends: ${assumptions.map(({ condition }) => condition).join(', ')}`
  switch (outcome.kind) {
    case 'delivered':
      return formatLocation(outcome.address, outcome.masqueraded)
    case 'proxy':
      return 'node'
    case 'rejected':
      return 'reject'
    case 'dropped':
      return 'drop'
    case 'unmatched':
      return outcome.to
    case 'unknown':
      return outcome.reason
  }
}

/** Returns the outcome according to the plan, in the same format. */
export function decided(plan: Plan, packet: Packet): string {
  const decision = decide(plan, packet)
  if (decision.kind === 'healthCheck') return 'node'
  if (decision.kind !== 'endpoints') return decision.kind
  return decision.candidates
    .map(({ endpoint, masquerade }) => formatLocation(endpoint.ip, masquerade))
    .sort()
    .join(' ')
}

function formatLocation(ip: string, masqueraded: boolean): string {
  const place = Object.entries(ADDRESSES).find(([, known]) => IP_FAMILIES.some((family) => known[family] === ip))
  if (place === undefined) throw new Error(`${ip} is nowhere`)
  return `${place[0]}${masqueraded ? '*' : ''}`
}
