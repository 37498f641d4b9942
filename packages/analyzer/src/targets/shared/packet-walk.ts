import type { Decision, EndpointCandidate } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { certainEnd, createRejectedOutcome, DROPPED, type WeightedOutcome } from '../../plan/ends-of-decision.js'
import type { ModeDecision } from '../mode-decision.js'
import type { BlockingVerdict } from './blocking-verdict.js'

/** A packet on its way through the rules of a mode, with the expected decision. */
export interface PacketWalk {
  readonly plan: Plan
  readonly packet: Packet
  readonly expected: Decision
}

/** An address and port where rules see a packet. */
export interface Place {
  readonly address: string
  readonly port: number
}

/** An endpoint that rules may select. */
export type Endpoint = EndpointCandidate['endpoint']

/** Returns the destination of a packet before it is rewritten. */
export function destinationOf({ destination: address, destinationPort: port }: Packet): Place {
  return { address, port }
}

/** Decides about a blocked packet. The limitation is the reason for a verdict other than the expected one. */
export function decideBlocked(
  { plan, expected }: PacketWalk,
  verdict: BlockingVerdict,
  limitation: string,
): ModeDecision {
  const isExpected = expected.kind === (verdict === 'rejected' ? 'reject' : 'drop')
  return { ends: [createBlockedEnd(plan, verdict)], limitations: isExpected ? [] : [limitation] }
}

export function createBlockedEnd({ family }: Plan, verdict: BlockingVerdict): WeightedOutcome {
  return certainEnd(verdict === 'rejected' ? createRejectedOutcome(family) : DROPPED)
}
