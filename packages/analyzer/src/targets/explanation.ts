import type { Decision } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Outcome, Packet } from '@kube-rules/types'

/** Whether a limitation may be why rules do otherwise with a packet than is wanted. */
export interface Explanation {
  /** Why it goes elsewhere. Absent: it never is. */
  readonly where?: ((traced: TracedPacket) => boolean) | undefined
  /** Why it keeps its source, or does not. */
  readonly masquerade?: ((traced: TracedPacket) => boolean) | undefined
}

/** What should become of a packet, and what does. */
export interface TracedPacket {
  /** Of the mode. */
  readonly plan: Plan
  readonly packet: Packet
  /** What that plan says. */
  readonly decision: Decision
  /** What the objects ask for, where the plan of the mode cannot; else the same. */
  readonly wanted: Decision
  readonly ends: readonly End[]
}

/** Where the rules take a packet, and how likely: `1/3`. */
export interface End {
  readonly outcome: Outcome
  readonly weight: string
}
