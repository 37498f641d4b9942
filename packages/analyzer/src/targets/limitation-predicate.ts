import type { Decision } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Outcome, Packet } from '@kube-rules/types'

/**
 * Determines whether a limitation can explain a deviation from the expected handling of a packet. In iptables and
 * nftables mode, a predicate compares the whole outcome. In ipvs and userspace mode, several limitations may affect the
 * same packet, so a predicate compares only its own part of the outcome. `computeIpvsOutcome` and
 * `computeUserspaceOutcome` then return the only outcome that the limitations together explain.
 */
export interface LimitationPredicate {
  /** Reports whether the limitation explains a different destination. Absent if the limitation never explains one. */
  readonly where?: ((traced: TracedPacket) => boolean) | undefined
  /** Reports whether the limitation explains different masquerading. Absent if the limitation never explains this. */
  readonly masquerade?: ((traced: TracedPacket) => boolean) | undefined
}

/** The expected and actual handling of a packet. */
export interface TracedPacket {
  /** The plan for the proxy mode. */
  readonly plan: Plan
  readonly packet: Packet
  /** The decision of `plan`. */
  readonly decision: Decision
  /**
   * The decision that the objects define. It differs from `decision` only if the plan of the mode cannot express the
   * decision.
   */
  readonly expected: Decision
  readonly ends: readonly WeightedOutcome[]
}

/** A possible outcome of a packet, with its exact probability: `1/3`. */
export interface WeightedOutcome {
  readonly outcome: Outcome
  readonly weight: string
}
