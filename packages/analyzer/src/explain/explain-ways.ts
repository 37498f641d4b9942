import { decide } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import type { Way } from '../trace/trace-ways.js'
import { type DifferenceKind, differenceOf } from './difference.js'
import type { OtherNodes } from './no-service.js'
import { reasonOf, subjectOf } from './reasons.js'

/** Where rules take a packet, and why. */
export interface Explanation {
  readonly packet: Packet
  readonly ways: readonly Way[]
  /** Absent where there is no plan. */
  readonly why?: Why | undefined
}

/** What a plan says of a packet. */
export interface Why extends ShortWhy {
  /** `default/web:http, node port`; empty for a packet that is for no Service. */
  readonly subject: string
}

/** Why, without whose the packet is. */
export interface ShortWhy {
  /** The plan's reason, one sentence. */
  readonly reason: string
  /** What the plan says becomes of the packet, where the rules do otherwise or may; absent where they agree. */
  readonly otherwise?: string | undefined
  /** Where `otherwise` is there: how that comes. */
  readonly difference?: DifferenceKind | undefined
}

/** What is known of a packet beside where the rules take it. */
export interface Background {
  readonly plan: Plan
  readonly nodes: OtherNodes
  /** Where the rules take it that kube-proxy would write; absent where those are not known. */
  readonly compiled?: (() => readonly Way[]) | undefined
}

export function explainWays(packet: Packet, ways: readonly Way[], background?: Background): Explanation {
  if (background === undefined) return { packet, ways }
  const { plan, nodes, compiled } = background
  const decision = decide(plan, packet)
  const why = { subject: subjectOf(decision), reason: reasonOf(decision, packet, plan, nodes) }
  const difference = differenceOf(decision, ways, compiled)
  if (difference === undefined) return { packet, ways, why }
  return { packet, ways, why: { ...why, otherwise: difference.asked.join(', '), difference: difference.kind } }
}
