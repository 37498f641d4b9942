import { decide } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import type { Way } from '../trace/trace-ways.js'
import { type DifferenceKind, differenceOf } from './difference.js'
import type { OtherNodes } from './no-service.js'
import { reasonOf, subjectOf } from './reasons.js'

/** The traced paths of a packet, with the reason. */
export interface Explanation {
  readonly packet: Packet
  readonly ways: readonly Way[]
  /** The reason; absent without a plan. */
  readonly why?: Why | undefined
}

/** The decision of a plan about a packet. */
export interface Why extends ShortWhy {
  /** `default/web:http, node port`; empty for a packet that belongs to no Service. */
  readonly subject: string
}

/** The reason, without the Service. */
export interface ShortWhy {
  /** The reason of the plan, one sentence. */
  readonly reason: string
  /** The expected outcome of the plan, if the rules deviate or may deviate; absent if they agree. */
  readonly otherwise?: string | undefined
  /** The kind of the deviation, present with `otherwise`. */
  readonly difference?: DifferenceKind | undefined
}

/** Facts about a packet apart from its paths. */
export interface Background {
  readonly plan: Plan
  readonly nodes: OtherNodes
  /** Traces the packet through the rules that kube-proxy would write; absent if they are unknown. */
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
