import type { Decision } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Outcome, Packet } from '@kube-rules/types'

/** Whether a limitation can explain a deviation from the expected handling of a packet. */
export interface LimitationPredicate {
  /** Reports whether it explains a different destination. Absent if it never does. */
  readonly where?: ((traced: TracedPacket) => boolean) | undefined
  /** Reports whether it explains different masquerading. Absent if it never does. */
  readonly masquerade?: ((traced: TracedPacket) => boolean) | undefined
}

/** The expected and actual handling of a packet. */
export interface TracedPacket {
  /** The plan of the mode. */
  readonly plan: Plan
  readonly packet: Packet
  /** The decision of that plan. */
  readonly decision: Decision
  /**
   * The decision that the objects define. It differs from `decision` only if the plan of the mode cannot express it.
   */
  readonly expected: Decision
  readonly ends: readonly WeightedOutcome[]
}

/** A possible outcome of a packet, with its exact probability: `1/3`. */
export interface WeightedOutcome {
  readonly outcome: Outcome
  readonly weight: string
}
