import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { Decision } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import type { WeightedOutcome } from '../plan/ends-of-decision.js'
import type { Assumption } from '../program/assumptions.js'

/**
 * Decides how the rules of a proxy mode handle a packet. `expected` is the decision that the objects define. It differs
 * from the decision of the plan, the default, only if the plan of the mode cannot express it.
 */
export type ModeDecider = (plan: Plan, packet: Packet, expected?: Decision) => ModeDecision

/** The handling of the first packet of a connection by the rules that a version of kube-proxy writes in a mode. */
export interface ModeDecision {
  /** The possible outcomes. The local port of the userspace proxy is 0, because a plan does not contain it. */
  readonly ends: readonly ModeEnd[]
  /**
   * The codes of the limitations of the mode that make the outcomes differ from the expected decision. Empty if the
   * outcomes are those of the expected decision.
   */
  readonly limitations: readonly string[]
  /** The service port that selects the endpoints. Absent if the packet reaches no endpoint selection. */
  readonly servicePort?: ServicePortId | undefined
}

/** A possible outcome of a packet, with its probability under the assumptions. */
export interface ModeEnd extends WeightedOutcome {
  /** Assumptions about unknown conditions; absent if the outcome depends on no unknown condition. */
  readonly assumptions?: readonly Assumption[] | undefined
}
