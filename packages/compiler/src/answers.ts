import type { Answer } from './answers/answer.js'
import { answersToPacket } from './answers/answers-to-packet.js'
import type { FamilyResult } from './compilation/compile-result.js'
import type { Explanation } from './explain/explain.js'
import { decide } from './plan/decide.js'

/** What answers to a packet may be made of beside its explanation. */
export interface AnswerOptions {
  /** What was compiled for the family of the packet; absent: only what the rules tell by themselves is said. */
  readonly result?: FamilyResult | undefined
}

/**
 * What is wrong about where a packet goes, in three lines each, the reason that decides first; empty where nothing is.
 * `explanation` is what `explain` said of the packet, with the plan of the same result.
 */
export function answerPacket(explanation: Explanation, { result }: AnswerOptions = {}): readonly Answer[] {
  if (result === undefined) return answersToPacket(explanation)
  const { plan, healthCheckNodePorts: healthChecks } = result
  return answersToPacket({ ...explanation, wanted: { plan, decision: decide(plan, explanation.packet), healthChecks } })
}
