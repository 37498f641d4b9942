import { decide } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import type { TracePath } from '../trace/trace-paths.js'
import type { AddressNames } from './address-names.js'
import { type Divergence, findDivergence } from './difference.js'
import { findOtherEndpoint, type OtherEndpoint } from './other-endpoint.js'
import { explainDecision, formatDecisionSubject } from './reasons.js'

/** The traced paths of a packet, with the reason for the decision. */
export interface Explanation {
  /** The traced packet. */
  readonly packet: Packet
  /** The paths, as `trace` returns them. */
  readonly paths: readonly TracePath[]
  /** The reason for the decision; absent without a plan. */
  readonly reason?: OutcomeReason | undefined
  /**
   * The timeout of session affinity in seconds, from the rules: a client without an entry gets one of the endpoints, and
   * the same one again until the timeout. Absent without session affinity.
   */
  readonly affinitySeconds?: number | undefined
}

/** The decision of a plan about a packet. */
export interface OutcomeReason extends ReasonSummary {
  /**
   * The Service port and the kind of its frontend: `default/web:http, node port`. Empty for a packet that belongs to no
   * Service.
   */
  readonly subject: string
  /** With an unknown deviation, the rule in the dump that nevertheless sends packets elsewhere. Absent if none does. */
  readonly otherEndpoint?: OtherEndpoint | undefined
}

/** The reason, without the Service. */
export interface ReasonSummary {
  /** The reason for the decision of the plan, as one sentence. */
  readonly reason: string
  /** The outcome that the plan expects, if the rules deviate or may deviate from the plan. Absent if they agree. */
  readonly expectedOutcome?: string | undefined
  /** The kind of the deviation, present with `expectedOutcome`. */
  readonly divergence?: Divergence | undefined
}

/** The paths of a packet, and what the rules on the way remember about its client. */
export interface TracedPaths extends Pick<Explanation, 'affinitySeconds'> {
  readonly paths: readonly TracePath[]
}

/** Facts about a packet, except its paths. */
export interface ReasonContext {
  readonly plan: Plan
  readonly addresses: AddressNames
  /** Traces the packet through the rules that kube-proxy would write; absent if they are unknown. */
  readonly compiled?: (() => readonly TracePath[]) | undefined
}

export function explainPaths(packet: Packet, traced: TracedPaths, background?: ReasonContext): Explanation {
  const { paths } = traced
  if (background === undefined) return { packet, ...traced }
  const { plan, addresses, compiled } = background
  const decision = decide(plan, packet)
  const reason = {
    subject: formatDecisionSubject(decision),
    reason: explainDecision(decision, packet, plan, addresses),
  }
  const difference = findDivergence(decision, paths, compiled)
  if (difference === undefined) return { packet, ...traced, reason }
  const { kind: divergence, expected } = difference
  const otherEndpoint = divergence === 'undetermined' ? findOtherEndpoint(decision, paths) : undefined
  const deviation = { expectedOutcome: expected.join(', '), divergence, ...(otherEndpoint && { otherEndpoint }) }
  return { packet, ...traced, reason: { ...reason, ...deviation } }
}
