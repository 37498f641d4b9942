import type { ReasonSummary } from '@kube-rules/analyzer/explain'
import type { FrontendDecision } from '@kube-rules/compiler/plan'
import type { Origin } from '@kube-rules/types'
import type { ExplainedPacket } from '../explain/packets.js'

/** A packet from an origin to a frontend of a service port that does not arrive as the objects specify. */
export interface LostPacket {
  /** The service port: `default/web:http/TCP`. */
  readonly owner: string
  /** The service port, kind of frontend, family and origin, which are the same on every node. */
  readonly route: string
  readonly origin: Origin
  /** The outcome in a few words: `rejected`. */
  readonly outcome: string
  readonly reason: ReasonSummary
  /** The reason of the decision that the plan of the service port makes; undefined if it does not claim the packet. */
  readonly decisionReason: FrontendDecision['reason'] | undefined
  readonly isUnknown: boolean
  /** The packet on the node where it was traced. */
  readonly packet: ExplainedPacket | undefined
}

/** The outcomes of packets to service ports on one node. */
export interface CheckedPackets {
  readonly lost: readonly LostPacket[]
  /** The routes of packets that arrive. */
  readonly arriving: readonly string[]
}
