import type { Decision } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Outcome, Packet } from '@kube-rules/types'

/** Whether a limitation can explain a deviation from the expected handling of a packet. */
export interface LimitationPredicate {
  /** Explains a different destination. Absent: never. */
  readonly where?: ((traced: TracedPacket) => boolean) | undefined
  /** Explains a different masquerading. Absent: never. */
  readonly masquerade?: ((traced: TracedPacket) => boolean) | undefined
}

/** The expected and actual handling of a packet. */
export interface TracedPacket {
  /** The plan of the mode. */
  readonly plan: Plan
  readonly packet: Packet
  /** The decision of that plan. */
  readonly decision: Decision
  /** The decision that the objects define, if the plan of the mode cannot express it; else the same decision. */
  readonly expected: Decision
  readonly ends: readonly WeightedOutcome[]
}

/** A possible outcome of a packet, with its exact probability: `1/3`. */
export interface WeightedOutcome {
  readonly outcome: Outcome
  readonly weight: string
}
