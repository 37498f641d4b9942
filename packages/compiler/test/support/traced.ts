import type { Packet } from '@kube-rules/types'
import type { End, Explanation, TracedPacket } from '../../../analyzer/src/targets/explanation.js'
import { type Decision, decide } from '../../src/plan/decide.js'
import type { Plan } from '../../src/plan/plan.js'

type Kind = End['outcome']['kind']

const ENDS: { readonly [K in Kind]: Extract<End['outcome'], { kind: K }> } = {
  delivered: { kind: 'delivered', address: '10.180.0.1', port: 80, masqueraded: false },
  proxy: { kind: 'proxy', port: 40000 },
  rejected: { kind: 'rejected', with: 'icmp-port-unreachable' },
  dropped: { kind: 'dropped' },
  passes: { kind: 'passes', to: 'network', masqueraded: false },
  unknown: { kind: 'unknown', reason: '' },
}

/** A packet of which the plan decides and that the rules take to ends of these kinds; `wanted` is what the plan says, too. */
export function tracedPacket(
  plan: Plan,
  packet: Packet,
  ends: readonly Kind[],
  wanted: Decision = decide(plan, packet),
): TracedPacket {
  const decision = decide(plan, packet)
  return { plan, packet, decision, wanted, ends: ends.map((kind) => ({ outcome: ENDS[kind], weight: '1' })) }
}

/** `where`, `masquerade`, both or neither: what a limitation may be the reason for. */
export function explained(explanation: Explanation | undefined, traced: TracedPacket): readonly string[] {
  return (['where', 'masquerade'] as const).filter((aspect) => explanation?.[aspect]?.(traced) === true)
}
